// The keeper protocol: the requests of a manager to the keeper of a branch, and to the agent inside
// other substrates. Each operation has one struct for its request, which names the struct of its
// reply. keeper_protocol.cc defines their frames; a server registers its handlers in Operations
// (operations.h).
//
// A reply is one frame, or a frame with an `error` (Client::send_error). Frames with an `event` may
// come before it. Data with a format of another layer (a branch's configuration, a captured state)
// is sent as that layer's JSON.
#pragma once

#include <sys/types.h>

#include <nlohmann/json.hpp>
#include <string>

#include "base/branch_facts.h"
#include "base/command.h"
#include "base/input_events.h"
#include "base/result.h"
#include "base/terminal_view.h"
#include "wire/frame.h"

namespace sf::wire {

struct Done {};  // the reply of an operation without results

// For tests: a step at which the operation fails, or at which the keeper dies. Empty in production.
struct PlannedFaults {
  std::string fail_at;
  std::string die_at;
};

// Requests to the shell. Keeper and agent both serve them with ShellServer (shell/shell_server.h).

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

// The server sends TerminalPiece events instead of a reply, until the connection ends.
struct WatchCall {
  static constexpr const char* kOperation = "watch";
  using Reply = TerminalPiece;
};

// Requests to the server itself.

struct HelloReply {
  // Set by an agent: whether a shell was started.
  bool started = false;
  // Set by a keeper. `pid` and `init` are pids of the host, `shell` and `holder` of the branch.
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
  std::string file_layer;  // for a keeper: the file layer to copy for the branch
  bool precaptures = false;
  PlannedFaults faults = {};
};

struct FactsCall {
  static constexpr const char* kOperation = "facts";
  using Reply = BranchFacts;
};

// Closes all other connections. A keeper does not reply.
struct HangUpCall {
  static constexpr const char* kOperation = "hang_up";
  using Reply = Done;
};

// Requests that only keepers serve.

struct RestoreCall {
  static constexpr const char* kOperation = "restore";
  using Reply = LiveReply;
  Json config;
  std::string file_layer;
  std::string image_dir;
  std::string engine;
  Json state;               // of the captured tree
  std::string terminal;     // the saved screen
  bool prerestore = false;  // keep the tree stopped until a ResumeCall
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
  bool unchanged = false;   // the state matches `unless`, so nothing was captured
  std::string engine = {};  // the engine that made the images
  std::uint64_t image_bytes = 0;
  BranchFacts facts = {};    // of the captured branch
  bool precaptured = false;  // the capture was made before this request
};
struct CheckpointCall {
  static constexpr const char* kOperation = "checkpoint";
  using Reply = CheckpointReply;
  std::string image_dir;
  std::string file_layer;
  bool precaptures = false;  // the keeper may precapture the next checkpoints
  Json unless = nullptr;     // do not capture if the fingerprint is unchanged; null: always capture
  PlannedFaults faults = {};
};

// The contents of a digest, and the limits of its cost.
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

// Defined for every struct above, and for the replies that base/ defines. from_frame() fails with
// kCorrupt and names the key that is missing, has the wrong type or is out of range.
template <typename Message>
Frame to_frame(const Message& message);
template <typename Message>
Result<Message> from_frame(Frame frame);

}  // namespace sf::wire
