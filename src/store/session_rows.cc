#include "store/session_rows.h"

#include <charconv>

namespace sf::store {

using control::SessionRecord;
using control::StartConfig;

namespace {

// Kinds of settings. kConfig has members of StartConfig.
constexpr const char* kConfig = "config";
constexpr const char* kEnv = "env";
constexpr const char* kExtra = "extra";
constexpr const char* kLabel = "label";
constexpr const char* kTerm = "term";              // members of SessionTerms
constexpr const char* kCapability = "capability";  // names are positions

class SettingsWriter {
 public:
  SettingsWriter(Database& db, std::int64_t session) : db_(db), session_(session) {}

  Status put(const char* kind, std::string_view name, std::string_view value) {
    SF_TRY(db_.run("INSERT INTO settings(session, kind, name, value) VALUES(?,?,?,?)", session_,
                   std::string_view(kind), Blob{name}, Blob{value}));
    return Ok{};
  }
  Status put(const char* kind, std::string_view name, std::uint64_t value) {
    return put(kind, name, std::to_string(value));
  }
  template <typename Map>
  Status put_all(const char* kind, const Map& values) {
    for (const auto& [name, value] : values) SF_TRY(put(kind, name, value));
    return Ok{};
  }

 private:
  Database& db_;
  std::int64_t session_;
};

Status put_config(SettingsWriter& settings, const StartConfig& config) {
  // Names every member, so that the compiler reports a new one.
  const auto& [root, user, cwd, hostname, network, env, rows, cols, memory_bytes, max_pids,
               cpu_percent, capabilities, extra] = config;
  SF_TRY(settings.put(kConfig, "root", root));
  SF_TRY(settings.put(kConfig, "user", user));
  SF_TRY(settings.put(kConfig, "cwd", cwd));
  SF_TRY(settings.put(kConfig, "hostname", hostname));
  SF_TRY(settings.put(kConfig, "network", network));
  SF_TRY(settings.put(kConfig, "rows", rows));
  SF_TRY(settings.put(kConfig, "cols", cols));
  SF_TRY(settings.put(kConfig, "memory_bytes", memory_bytes));
  SF_TRY(settings.put(kConfig, "max_pids", max_pids));
  SF_TRY(settings.put(kConfig, "cpu_percent", cpu_percent));
  SF_TRY(settings.put_all(kEnv, env));
  SF_TRY(settings.put_all(kExtra, extra));
  for (std::size_t i = 0; i < capabilities.size(); ++i)
    SF_TRY(settings.put(kCapability, std::to_string(i), capabilities[i]));
  return Ok{};
}

template <typename Number>
bool parse(const std::string& text, Number& number) {
  const char* end = text.data() + text.size();
  auto [stopped, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stopped == end;
}

// False if it is not a member of StartConfig, or not a valid value.
bool read_config(const std::string& name, std::string& value, StartConfig& config) {
  if (name == "rows") return parse(value, config.rows);
  if (name == "cols") return parse(value, config.cols);
  if (name == "memory_bytes") return parse(value, config.memory_bytes);
  if (name == "max_pids") return parse(value, config.max_pids);
  if (name == "cpu_percent") return parse(value, config.cpu_percent);
  std::string* text = name == "root"       ? &config.root
                      : name == "user"     ? &config.user
                      : name == "cwd"      ? &config.cwd
                      : name == "hostname" ? &config.hostname
                      : name == "network"  ? &config.network
                                           : nullptr;
  if (text != nullptr) *text = std::move(value);
  return text != nullptr;
}

Status put_terms(SettingsWriter& settings, const control::SessionTerms& terms) {
  const auto& [ttl, idle, max_bytes, max_branches] = terms;
  SF_TRY(settings.put(kTerm, "ttl_s", static_cast<std::uint64_t>(ttl.count())));
  SF_TRY(settings.put(kTerm, "idle_s", static_cast<std::uint64_t>(idle.count())));
  SF_TRY(settings.put(kTerm, "max_bytes", max_bytes));
  return settings.put(kTerm, "max_branches", max_branches);
}

bool read_term(const std::string& name, const std::string& value, control::SessionTerms& terms) {
  if (name == "max_bytes") return parse(value, terms.max_bytes);
  if (name == "max_branches") return parse(value, terms.max_branches);
  constexpr seconds::rep kLongest = 100'000'000'000;  // fits its type in microseconds too
  seconds::rep count = 0;
  if (!parse(value, count) || count < 0 || count > kLongest) return false;
  if (name == "ttl_s") terms.ttl = seconds(count);
  if (name == "idle_s") terms.idle = seconds(count);
  return name == "ttl_s" || name == "idle_s";
}

bool read_capability(const std::string& position, std::string& value,
                     std::vector<std::string>& capabilities) {
  constexpr std::size_t kMost = 1024;
  std::size_t index = 0;
  if (!parse(position, index) || index >= kMost) return false;
  if (capabilities.size() <= index) capabilities.resize(index + 1);
  capabilities[index] = std::move(value);
  return true;
}

}  // namespace

Status put_session(Database& db, const SessionRecord& session) {
  const auto& [id, name, backend, policy, config, created, labels, terms] = session;
  SF_TRY(
      db.run("INSERT INTO sessions(id, name, backend, policy, created_us) VALUES(?,?,?,?,?) "
             "ON CONFLICT(id) DO UPDATE SET name = excluded.name, backend = excluded.backend, "
             "policy = excluded.policy, created_us = excluded.created_us",
             id.value(), name, backend, policy, created.time_since_epoch().count()));
  SF_TRY_ASSIGN(std::optional<std::int64_t> key,
                db.number("SELECT key FROM sessions WHERE id = ?", id.value()));
  SF_CHECK(key.has_value());
  SF_TRY(db.run("DELETE FROM settings WHERE session = ?", *key));
  SettingsWriter settings(db, *key);
  SF_TRY(put_config(settings, config));
  SF_TRY(put_terms(settings, terms));
  return settings.put_all(kLabel, labels);
}

Status read_setting(const std::string& kind, const std::string& name, std::string value,
                    SessionRecord& session) {
  bool known = true;
  if (kind == kConfig) {
    known = read_config(name, value, session.config);
  } else if (kind == kEnv) {
    session.config.env[name] = std::move(value);
  } else if (kind == kExtra) {
    session.config.extra[name] = std::move(value);
  } else if (kind == kLabel) {
    session.labels[name] = std::move(value);
  } else if (kind == kTerm) {
    known = read_term(name, value, session.terms);
  } else {
    known = kind == kCapability && read_capability(name, value, session.config.extra_capabilities);
  }
  if (!known)
    return fail(ErrorCode::kCorrupt, "session " + session.id.value() + " has a " + kind +
                                         " setting that is malformed or unknown: " + name);
  return Ok{};
}

}  // namespace sf::store
