// ProcessEngine: the port to whatever captures and brings back a process tree. Files are not its
// business.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "os/fd.h"
#include "os/process.h"
#include "shell/branch_config.h"

namespace sf::waypoint {

// Named moments (fault_plan.h) at which a test may have it fail.
using AtPoint = std::function<Status(std::string_view)>;
inline Status reached(const AtPoint& at_point, std::string_view name) {
  return at_point ? at_point(name) : Status(Ok{});
}

struct CaptureRequest {
  EngineChoice engine = EngineChoice::kAuto;
  pid_t root = 0;              // the branch's init
  std::string image_dir;       // exists and is empty
  pid_t terminal_session = 0;  // of the branch's terminal, as the branch numbers it
  pid_t terminal_group = 0;    // its foreground group, likewise
  // How many requests init has served; nothing: one may be under way.
  std::optional<std::uint64_t> init_requests = {};
  bool host_network = false;  // sockets are the host's, and shared with it
  std::string upper = {};     // where the branch's files lie, and OverlayFS' directory for them
  std::string work = {};
  // Both run while the whole tree stands still; a failure undoes the capture and is returned. The
  // files are copied first, perhaps on another thread beside the capture, and again when another
  // engine tries.
  std::function<Status()> copy_files;
  std::function<Status()> while_stopped;
  AtPoint at_point = {};
  // Keeps the tree still (Captured::held). kUnsupported: somebody could notice; kBusy: just now.
  bool hold = false;
};

struct RestoreRequest {
  std::string engine;  // which took the image
  std::string image_dir;
  std::string root_view;  // mount point of the new branch's root
  // Puts the root there; called once, perhaps on another thread beside the engine's own work.
  std::function<Status()> make_files;
  bool lock_network = false;  // Captured::tcp_in_flight
  pid_t last_pid = 0;         // the counter that new pids are taken from
  AtPoint at_point = {};
  bool close_tcp = false;  // established connections lead out of the branch: bring them back closed
  bool prerestore = false;  // of the time it is wanted: kUnsupported where that could be noticed
};

// Processes that stand still until resume().
class HeldTree {
 public:
  virtual ~HeldTree() = default;
  virtual Status resume() = 0;
  // Those whose end changes it, where that matters.
  virtual std::vector<pid_t> processes() const { return {}; }
  // Whether the kernel's own counts say that no thread ran since the tree was stopped.
  virtual bool has_not_run() const { return false; }
};

struct Captured {
  std::string engine;                   // which took the image
  pid_t last_pid = 0;                   // the branch's pid counter
  bool own_ipc = false;                 // the image holds the IPC namespace
  bool tcp_in_flight = false;           // the network must be held still while it comes back
  std::uint64_t bytes = 0;              // of the image alone, without what it shares with others
  bool may_hold = false;                // once all wait, nobody would notice if it were kept still
  std::unique_ptr<HeldTree> held = {};  // asked for; goes on with this object, too
};

struct RestoredTree {
  os::Child init;         // a child of the caller
  os::UniqueFd terminal;  // master side of the branch's terminal
  // Before their first instruction; without resume() they end. Nothing: all run already.
  std::unique_ptr<HeldTree> held;
};

// Not thread-safe. The caller lives in the branch's network and UTS namespaces (and IPC, unless
// dumped).
class ProcessEngine {
 public:
  virtual ~ProcessEngine() = default;
  // Pays start-up costs ahead of the next capture() or restore().
  virtual void warm_up() = 0;
  // Pays CRIU's start-up costs ahead of a restore. Before anything else.
  virtual void expect_criu() {}
  // Gives up whatever stands ready: it is not needed.
  virtual void stand_down() {}
  // Lets go of processes that a capture wanted to stop and that stopped too late for it. Returns
  // whether there are more: to be asked again soon after a capture().
  virtual bool release_async_threads() { return false; }
  // The tree goes on running, whether this succeeds or not. The error names what could not be
  // captured.
  virtual Result<Captured> capture(const CaptureRequest& request) = 0;
  virtual Result<RestoredTree> restore(const RestoreRequest& request) = 0;
};

}  // namespace sf::waypoint
