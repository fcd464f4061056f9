#include "waypoint/captured_state.h"

#include <nlohmann/json.hpp>

namespace sf::waypoint {

using wire::Json;

Json to_json(const CapturedState& s) {
  return {{"hostname", s.hostname},
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
          {"typed_size", s.shell.typed.size()},
          {"stopped_us", s.stopped.count()}};
}

std::string terminal_bytes(const CapturedState& state) {
  return state.shell.screen + state.shell.background + state.shell.typed;
}

Result<CapturedState> captured_state_from_json(const Json& json, const std::string& terminal) {
  try {
    CapturedState s;
    s.hostname = json.at("hostname").get<std::string>();
    s.user.name = json.at("user").get<std::string>();
    s.user.home = json.at("home").get<std::string>();
    s.user.credentials = {json.at("uid").get<uid_t>(), json.at("gid").get<gid_t>(),
                          json.at("groups").get<std::vector<gid_t>>()};
    s.last_pid = json.at("last_pid").get<pid_t>();
    s.own_ipc = json.at("own_ipc").get<bool>();
    s.tcp_in_flight = json.at("tcp_in_flight").get<bool>();
    s.shell.shell = json.at("shell_pid").get<pid_t>();
    s.shell.holder = json.at("holder_pid").get<pid_t>();
    s.shell.prompt_read = json.at("prompt_read").get<unsigned long>();
    s.shell.commands = json.at("commands").get<long>();
    s.shell.command_running = json.at("command_running").get<bool>();
    s.stopped = microseconds(json.at("stopped_us").get<long long>());
    auto screen = json.at("screen_size").get<std::size_t>();
    auto background = json.at("background_size").get<std::size_t>();
    auto typed = json.at("typed_size").get<std::size_t>();
    if (screen > terminal.size() || background > terminal.size() - screen ||
        typed != terminal.size() - screen - background)
      return fail(ErrorCode::kCorrupt,
                  "the checkpoint's terminal file has another size than its manifest says");
    s.shell.screen = terminal.substr(0, screen);
    s.shell.background = terminal.substr(screen, background);
    s.shell.typed = terminal.substr(screen + background);
    return s;
  } catch (const Json::exception& e) {
    return fail(ErrorCode::kCorrupt, std::string("captured state: ") + e.what());
  }
}

}  // namespace sf::waypoint
