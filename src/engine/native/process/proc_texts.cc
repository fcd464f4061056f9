#include "engine/native/process/proc_texts.h"

#include <charconv>

#include "base/split.h"

namespace sf::waypoint::native {
namespace {

template <typename T>
bool read_number(std::string_view text, T& value, int base = 10) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  return error == std::errc() && end == text.data() + text.size();
}

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at < line.size();) {
    at = line.find_first_not_of(" \t", at);
    if (at == std::string_view::npos) break;
    std::size_t end = std::min(line.find_first_of(" \t", at), line.size());
    words.push_back(line.substr(at, end - at));
    at = end;
  }
  return words;
}

// Takes the next line off the text.
std::string_view next_line(std::string_view& text) {
  std::size_t end = text.find('\n');
  std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

template <typename T, typename List>
bool read_all(const std::vector<std::string_view>& words, List& list, int base = 10) {
  for (std::string_view word : words) {
    T value{};
    if (!read_number(word, value, base)) return false;
    list.push_back(value);
  }
  return true;
}

template <std::size_t kCount>
bool read_ids(const std::vector<std::string_view>& words, std::array<std::uint32_t, kCount>& ids) {
  if (words.size() != kCount) return false;
  for (std::size_t i = 0; i < kCount; ++i) {
    if (!read_number(words[i], ids[i])) return false;
  }
  return true;
}

bool read_status_line(std::string_view key, const std::vector<std::string_view>& words,
                      StatusText& status) {
  Credentials& who = status.credentials;
  std::string_view first = words.empty() ? std::string_view() : words[0];
  if (key == "Uid") return read_ids(words, who.uids);
  if (key == "Gid") return read_ids(words, who.gids);
  if (key == "Groups") return read_all<std::uint32_t>(words, who.groups);
  if (key == "CapInh") return read_number(first, who.capabilities[0], 16);
  if (key == "CapPrm") return read_number(first, who.capabilities[1], 16);
  if (key == "CapEff") return read_number(first, who.capabilities[2], 16);
  if (key == "CapBnd") return read_number(first, who.capabilities[3], 16);
  if (key == "CapAmb") return read_number(first, who.capabilities[4], 16);
  if (key == "NoNewPrivs") return read_number(first, who.no_new_privileges);
  if (key == "NSpid") return read_all<pid_t>(words, status.pids);
  if (key == "NSpgid") return read_all<pid_t>(words, status.groups);
  if (key == "NSsid") return read_all<pid_t>(words, status.sessions);
  if (key == "TracerPid") return read_number(first, status.tracer);
  if (key == "Umask") return read_number(first, status.umask, 8);
  if (key == "Seccomp") return read_number(first, status.seccomp);
  if (key == "SigIgn") return read_number(first, status.ignored, 16);
  if (key == "SigPnd") return read_number(first, status.pending, 16);
  if (key == "ShdPnd") return read_number(first, status.shared_pending, 16);
  if (key == "x86_Thread_features") status.thread_features = first;
  return true;
}

bool read_mapping_head(std::string_view line, MappingText& mapping) {
  // The name follows five words and may contain blanks.
  std::vector<std::string_view> words = words_of(line);
  if (words.size() < 5) return false;
  std::size_t dash = words[0].find('-');
  if (dash == std::string_view::npos) return false;
  mapping.permissions = words[1];
  mapping.device = words[3];
  if (words.size() > 5)
    mapping.name = line.substr(static_cast<std::size_t>(words[5].data() - line.data()));
  return read_number(words[0].substr(0, dash), mapping.start, 16) &&
         read_number(words[0].substr(dash + 1), mapping.end, 16) &&
         read_number(words[2], mapping.offset, 16) && read_number(words[4], mapping.inode);
}

}  // namespace

std::optional<StatText> parse_stat(std::string_view text) {
  StatText stat;
  std::size_t open = text.find('(');
  std::size_t close = text.rfind(')');
  if (open == std::string_view::npos || close == std::string_view::npos) return std::nullopt;
  stat.name = text.substr(open + 1, close - open - 1);
  std::string_view rest = text.substr(close + 1);
  std::vector<std::string_view> words = words_of(rest.substr(0, rest.find('\n')));
  constexpr std::size_t kFirst = 3;  // number of the field after the name in proc(5)
  if (words.size() < 53 - kFirst || words[0].size() != 1) return std::nullopt;
  auto field = [&](std::size_t n) { return words[n - kFirst]; };
  stat.state = words[0][0];
  auto& b = stat.bounds;
  bool ok = read_number(field(4), stat.parent) && read_number(field(7), stat.terminal) &&
            read_number(field(19), stat.nice) && read_number(field(20), stat.threads) &&
            read_number(field(22), stat.start_time) && read_number(field(38), stat.exit_signal) &&
            read_number(field(41), stat.policy) && read_number(field(52), stat.exit_status) &&
            read_number(field(26), b[0]) && read_number(field(27), b[1]) &&
            read_number(field(45), b[2]) && read_number(field(46), b[3]) &&
            read_number(field(47), b[4]) && read_number(field(28), b[6]) &&
            read_number(field(48), b[7]) && read_number(field(49), b[8]) &&
            read_number(field(50), b[9]) && read_number(field(51), b[10]);
  if (!ok) return std::nullopt;
  return stat;
}

std::optional<StatusText> parse_status(std::string_view text) {
  StatusText status;
  while (!text.empty()) {
    std::string_view line = next_line(text);
    std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    if (!read_status_line(line.substr(0, colon), words_of(line.substr(colon + 1)), status))
      return std::nullopt;
  }
  if (status.pids.empty() || status.groups.size() != status.pids.size() ||
      status.sessions.size() != status.pids.size())
    return std::nullopt;
  return status;
}

std::optional<std::vector<MappingText>> parse_smaps(std::string_view text) {
  std::vector<MappingText> all;
  while (!text.empty()) {
    std::string_view line = next_line(text);
    // "Rss:  4 kB": the keys begin with a capital, the addresses do not.
    if (line.empty()) continue;
    if (line[0] < 'A' || line[0] > 'Z') {
      if (!read_mapping_head(line, all.emplace_back())) return std::nullopt;
    } else if (line.starts_with("VmFlags:") && !all.empty()) {
      for (std::string_view flag : words_of(line.substr(8))) all.back().flags.emplace_back(flag);
    }
  }
  return all;
}

std::optional<FdInfoText> parse_fdinfo(std::string_view text) {
  FdInfoText info;
  info.text = text;
  bool has_flags = false;
  while (!text.empty()) {
    std::string_view line = next_line(text);
    std::vector<std::string_view> words = words_of(line);
    if (words.size() != 2) continue;
    if (words[0] == "pos:" && !read_number(words[1], info.offset)) return std::nullopt;
    if (words[0] == "flags:") has_flags = read_number(words[1], info.flags, 8);
  }
  if (!has_flags) return std::nullopt;
  return info;
}

}  // namespace sf::waypoint::native
