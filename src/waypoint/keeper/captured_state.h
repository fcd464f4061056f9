// CapturedState: the parts of a capture besides process images and file layer. It is stored in the
// manifest and read at a restore. The terminal's bytes are stored outside the JSON.
#pragma once

#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "engine/engine.h"
#include "shell/shell_driver.h"
#include "shell/user_lookup.h"
#include "waypoint/speculation/fingerprint.h"
#include "wire/json.h"

namespace sf::waypoint {

struct CapturedState {
  std::string hostname;
  std::string engine = std::string(kCriuName);  // the engine of the images; stored outside the JSON
  User user;  // the shell's user, as looked up at the start of the branch
  pid_t last_pid = 0;
  bool own_ipc = false;        // the images hold an IPC namespace
  bool tcp_in_flight = false;  // hold the network during a restore
  ShellState shell;
  std::optional<StateFingerprint> fingerprint;  // nullopt: later changes cannot be detected
  microseconds stopped{0};
  bool may_hold = false;          // from Captured
  std::uint64_t image_bytes = 0;  // stored in the manifest, like `engine`
};

wire::Json to_json(const StateFingerprint& fingerprint);
Result<StateFingerprint> state_fingerprint_from_json(const wire::Json& json);
wire::Json to_json(const CapturedState& state);
// All keys that to_json() may write.
std::vector<std::string> captured_state_keys();
// Concatenates screen, background output, unread keys and waiting keys.
std::string terminal_bytes(const CapturedState& state);
Result<CapturedState> captured_state_from_json(const wire::Json& json, const std::string& terminal);

}  // namespace sf::waypoint
