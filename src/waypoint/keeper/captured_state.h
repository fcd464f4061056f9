// CapturedState: what a capture leaves beside the process images and the file layer. Goes into the
// manifest and comes back at restore. The terminal's bytes travel apart from the JSON.
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
  std::string engine = std::string(kCriuName);  // which took the images; travels apart
  User user;  // the shell's, as it was looked up when the branch started
  pid_t last_pid = 0;
  bool own_ipc = false;        // the images hold an IPC namespace
  bool tcp_in_flight = false;  // the network must be held still while the images come back
  ShellState shell;
  std::optional<StateFingerprint>
      fingerprint;  // nothing: whether this changed later cannot be told
  microseconds stopped{0};
  bool may_hold = false;          // Captured's
  std::uint64_t image_bytes = 0;  // the manifest's, as the engine is
};

wire::Json to_json(const StateFingerprint& fingerprint);
Result<StateFingerprint> state_fingerprint_from_json(const wire::Json& json);
wire::Json to_json(const CapturedState& state);
// All keys that to_json() may write.
std::vector<std::string> captured_state_keys();
// Screen, background output, unread keys and those behind them, as one piece of bytes.
std::string terminal_bytes(const CapturedState& state);
Result<CapturedState> captured_state_from_json(const wire::Json& json, const std::string& terminal);

}  // namespace sf::waypoint
