#include "waypoint/keeper/captured_state.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "wire/checked_int.h"

namespace sf::waypoint {

using wire::bytes_to_text;
using wire::checked_int;
using wire::Json;
using wire::text_to_bytes;

namespace {

Json to_json(const CatchUp& missed) {
  Json commands = Json::array();
  for (const std::string& command : missed.commands) commands.push_back(bytes_to_text(command));
  Json programs = Json::array();
  for (const FoundProgram& program : missed.programs)
    programs.push_back({{"name", bytes_to_text(program.name)},
                        {"path", bytes_to_text(program.path)},
                        {"hits", program.hits}});
  return {{"status", missed.status}, {"last_word", bytes_to_text(missed.last_word)},
          {"lines", missed.lines},   {"commands", std::move(commands)},
          {"times", missed.times},   {"programs", std::move(programs)}};
}

CatchUp catch_up_from_json(const Json& json) {
  CatchUp missed;
  missed.status = checked_int<int>(json, "status");
  missed.last_word = text_to_bytes(json.at("last_word").get<std::string>());
  missed.lines = checked_int<long>(json, "lines");
  for (const Json& command : json.at("commands"))
    missed.commands.push_back(text_to_bytes(command.get<std::string>()));
  if (json.contains("times")) missed.times = wire::checked_ints<long>(json, "times");
  for (const Json& program : json.at("programs"))
    missed.programs.push_back({text_to_bytes(program.at("name").get<std::string>()),
                               text_to_bytes(program.at("path").get<std::string>()),
                               checked_int<int>(program, "hits")});
  return missed;
}

}  // namespace

Json to_json(const StateFingerprint& fingerprint) {
  return {{"digest", fingerprint.digest},
          {"commands", fingerprint.commands},
          {"line", fingerprint.line}};
}

Result<StateFingerprint> state_fingerprint_from_json(const Json& json) {
  try {
    return StateFingerprint{json.at("digest").get<std::string>(),
                            checked_int<long>(json, "commands"), checked_int<long>(json, "line")};
  } catch (const Json::exception& e) {
    return fail(ErrorCode::kCorrupt, std::string("mark of a state: ") + e.what());
  }
}

Json to_json(const CapturedState& s) {
  Json json = {{"hostname", s.hostname},
               {"user", s.user.name},
               {"home", s.user.home},
               {"uid", s.user.credentials.uid},
               {"gid", s.user.credentials.gid},
               {"groups", s.user.credentials.groups},
               {"last_pid", s.last_pid},
               {"own_ipc", s.own_ipc},
               {"tcp_in_flight", s.tcp_in_flight},
               {"shell_pid", s.shell.shell},
               {"holder_pid", s.shell.holder},
               {"prompt_read", s.shell.prompt_read},
               {"commands", s.shell.commands},
               {"command_running", s.shell.command_running},
               {"screen_size", s.shell.screen.size()},
               {"background_size", s.shell.background.size()},
               {"typed_size", s.shell.typed.bytes.size()},
               {"stopped_us", s.stopped.count()}};
  if (!s.shell.typed.ends.empty()) json["typed_ends"] = s.shell.typed.ends;
  if (!s.shell.waiting.empty()) json["waiting_size"] = s.shell.waiting.size();
  if (s.may_hold) json["may_hold"] = true;
  if (s.shell.request_pending) json["request_pending"] = true;
  if (s.shell.may_act) json["may_act"] = true;
  if (s.shell.shows_prompt) json["shows_prompt"] = true;
  if (s.shell.defines_switch) json["defines_switch"] = true;
  if (s.shell.history_off) json["history_off"] = true;
  if (s.fingerprint) json["mark"] = to_json(*s.fingerprint);
  if (s.shell.catch_up) json["catch_up"] = to_json(*s.shell.catch_up);
  return json;
}

std::string terminal_bytes(const CapturedState& state) {
  return state.shell.screen + state.shell.background + state.shell.typed.bytes +
         state.shell.waiting;
}

Result<CapturedState> captured_state_from_json(const Json& json, const std::string& terminal) {
  try {
    CapturedState s;
    s.hostname = json.at("hostname").get<std::string>();
    s.user.name = json.at("user").get<std::string>();
    s.user.home = json.at("home").get<std::string>();
    s.user.credentials = {checked_int<uid_t>(json, "uid"), checked_int<gid_t>(json, "gid"),
                          wire::checked_ints<gid_t>(json, "groups")};
    s.last_pid = checked_int<pid_t>(json, "last_pid");
    s.own_ipc = json.at("own_ipc").get<bool>();
    s.tcp_in_flight = json.at("tcp_in_flight").get<bool>();
    s.shell.shell = checked_int<pid_t>(json, "shell_pid");
    s.shell.holder = checked_int<pid_t>(json, "holder_pid");
    s.shell.prompt_read = checked_int<unsigned long>(json, "prompt_read");
    s.shell.commands = checked_int<long>(json, "commands");
    s.shell.command_running = json.at("command_running").get<bool>();
    s.stopped = microseconds(checked_int<long long>(json, "stopped_us"));
    s.may_hold = json.value("may_hold", false);
    s.shell.request_pending = json.value("request_pending", false);
    s.shell.may_act = json.value("may_act", false);
    s.shell.shows_prompt = json.value("shows_prompt", false);
    s.shell.defines_switch = json.value("defines_switch", false);
    s.shell.history_off = json.value("history_off", false);
    if (json.contains("mark")) {
      SF_TRY_ASSIGN(s.fingerprint, state_fingerprint_from_json(json["mark"]));
    }
    if (json.contains("catch_up")) s.shell.catch_up = catch_up_from_json(json["catch_up"]);
    auto screen = checked_int<std::size_t>(json, "screen_size");
    auto background = checked_int<std::size_t>(json, "background_size");
    auto typed = checked_int<std::size_t>(json, "typed_size");
    auto waiting = json.contains("waiting_size") ? checked_int<std::size_t>(json, "waiting_size")
                                                 : std::size_t{0};
    std::size_t left = terminal.size();
    auto fits = [&left](std::size_t part) { return part <= left && (left -= part, true); };
    if (!fits(screen) || !fits(background) || !fits(typed) || !fits(waiting) || left != 0)
      return fail(ErrorCode::kCorrupt,
                  "the checkpoint's terminal file has another size than its manifest says");
    s.shell.screen = terminal.substr(0, screen);
    s.shell.background = terminal.substr(screen, background);
    s.shell.typed.bytes = terminal.substr(screen + background, typed);
    if (json.contains("typed_ends"))
      s.shell.typed.ends = wire::checked_ints<std::size_t>(json, "typed_ends");
    const std::vector<std::size_t>& ends = s.shell.typed.ends;
    if (!std::ranges::is_sorted(ends) || (!ends.empty() && ends.back() > typed))
      return fail(ErrorCode::kCorrupt, "the checkpoint's typed_ends lie outside of what was typed");
    s.shell.waiting = terminal.substr(screen + background + typed);
    return s;
  } catch (const Json::exception& e) {
    return fail(ErrorCode::kCorrupt, std::string("captured state: ") + e.what());
  }
}

}  // namespace sf::waypoint
