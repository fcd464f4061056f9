// The keeper protocol: what a manager asks of the keeper of a branch, and of the agent inside other
// substrates. Each operation has one struct for its request, which names the struct of its reply.
// keeper_protocol.cc says how each travels as a frame; Operations (operations.h) is the table of
// those who answer.
//
// A reply is one frame, or a frame with an `error` (Client::send_error). Frames with an `event` may
// come before it. What other layers have a format of their own for (a branch's configuration, a
// captured state) travels as their JSON.
#pragma once

#include <sys/types.h>

#include <nlohmann/json.hpp>
#include <string>

#include "base/command.h"
#include "base/input_events.h"
#include "base/live_facts.h"
#include "base/result.h"
#include "base/terminal_view.h"
#include "wire/frame.h"

namespace sf::wire {

struct Done {};  // the reply to what only succeeds or fails

// A step that a test makes fail, or at which it lets the keeper die. Empty in production.
struct PlannedFaults {
  std::string fail_at;
  std::string die_at;
};

// What a shell is asked for. Keeper and agent answer alike (shell/shell_server.h).

struct ExecCall {
  static constexpr const char* kOperation = "exec";
  using Reply = Observation;
  ExecRequest request;
  bool stream = false;  // send `output` events as well
};

struct SideExecCall {
  static constexpr const char* kOperation = "side_exec";
  using Reply = SideObservation;
  SideRequest request;
};

struct KeysCall {
  static constexpr const char* kOperation = "keys";
  using Reply = TypedKeys;
  std::string bytes;
};

struct InputCall {
  static constexpr const char* kOperation = "input";
  using Reply = TypedKeys;
  std::string events;  // input_to_json(), as text
};

struct ScreenCall {
  static constexpr const char* kOperation = "screen";
  using Reply = ScreenText;
  std::size_t scrollback = 0;  // lines
};

struct ResizeCall {
  static constexpr const char* kOperation = "resize";
  using Reply = Done;
  WindowSize size;
};

struct WriteFileCall {
  static constexpr const char* kOperation = "write_file";
  using Reply = Done;
  std::string path;
  std::string content;
};

struct FileContent {
  std::string bytes;
};
struct ReadFileCall {
  static constexpr const char* kOperation = "read_file";
  using Reply = FileContent;
  std::string path;
  std::size_t max_bytes = 0;
};

// Has no reply but TerminalPiece events, until the connection ends.
struct WatchCall {
  static constexpr const char* kOperation = "watch";
  using Reply = TerminalPiece;
};

// Of the server itself.

struct HelloReply {
  // The agent's: whether there is a shell.
  bool started = false;
  // The keeper's. Processes as the branch numbers them, but for `pid` and `init`.
  bool alive = false;
  pid_t pid = 0;
  pid_t init = 0;
  pid_t shell = 0;
  pid_t holder = 0;  // 1: init itself
  bool at_prompt = false;
  WindowSize window;
};
struct HelloCall {
  static constexpr const char* kOperation = "hello";
  using Reply = HelloReply;
};

struct LiveReply {
  pid_t pid = 0;  // the keeper's
  pid_t init = 0;
  WindowSize window;
};
struct StartCall {
  static constexpr const char* kOperation = "start";
  using Reply = LiveReply;
  Json config;             // of the branch
  std::string file_layer;  // the keeper's: copied for the branch
  bool precaptures = false;
  PlannedFaults faults = {};
};

struct FactsCall {
  static constexpr const char* kOperation = "facts";
  using Reply = BranchFacts;
};

// Ends all other connections. A keeper does not answer.
struct HangUpCall {
  static constexpr const char* kOperation = "hang_up";
  using Reply = Done;
};

// Of keepers alone.

struct RestoreCall {
  static constexpr const char* kOperation = "restore";
  using Reply = LiveReply;
  Json config;
  std::string file_layer;
  std::string image_dir;
  std::string engine;
  Json state;               // of the captured tree
  std::string terminal;     // the bytes of it
  bool prerestore = false;  // the tree stands until it is resumed
  bool precaptures = false;
  PlannedFaults faults = {};
};

struct ResumeCall {
  static constexpr const char* kOperation = "resume";
  using Reply = LiveReply;
  PlannedFaults faults = {};
};

struct CheckpointReply {
  Json state;
  std::string terminal;
  bool unchanged = false;   // proven to be as `unless`: nothing was captured
  std::string engine = {};  // that took the images
  std::uint64_t image_bytes = 0;
  BranchFacts facts = {};    // of the branch as it was captured
  bool precaptured = false;  // before this was asked for
};
struct CheckpointCall {
  static constexpr const char* kOperation = "checkpoint";
  using Reply = CheckpointReply;
  std::string image_dir;
  std::string file_layer;
  bool precaptures = false;  // the next ones may be captured before they are asked for
  Json unless = nullptr;     // a fingerprint: no capture if nothing has changed since; null: none
  PlannedFaults faults = {};
};

// What a digest covers, and what it may cost.
struct DigestLimits {
  bool files = true;
  bool shell = true;
  std::size_t max_files = 0;
  std::uint64_t max_bytes = 0;
  milliseconds max_time{0};
};
struct DigestReply {
  std::string text;
};
struct DigestCall {
  static constexpr const char* kOperation = "digest";
  using Reply = DigestReply;
  std::string base;  // the file layer to compare with
  DigestLimits limits;
};

// Ends the branch and the keeper.
struct EndCall {
  static constexpr const char* kOperation = "end";
  using Reply = Done;
};

// For every struct above, and for the replies that base/ has. from_frame() fails with kCorrupt and
// names the key that is missing, has another type or does not fit.
template <typename Message>
Frame to_frame(const Message& message);
template <typename Message>
Result<Message> from_frame(Frame frame);

}  // namespace sf::wire
