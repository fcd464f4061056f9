// ProcessEngine: the port to an engine that captures and restores a process tree. The branch's
// files are not its concern.
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

// Called at named fault points (fault_plan.h), where a test may make the engine fail.
using AtPoint = std::function<Status(std::string_view)>;
inline Status reached(const AtPoint& at_point, std::string_view name) {
  return at_point ? at_point(name) : Status(Ok{});
}

struct CaptureRequest {
  EngineChoice engine = EngineChoice::kAuto;
  pid_t root = 0;              // the branch's init
  std::string image_dir;       // exists and is empty
  pid_t terminal_session = 0;  // session of the branch's terminal, as a pid in the branch
  pid_t terminal_group = 0;    // foreground group of that terminal, likewise
  // How many requests init has served. Nothing: one may be in progress.
  std::optional<std::uint64_t> init_requests = {};
  bool host_network = false;  // the branch uses the host's network namespace
  std::string upper = {};     // OverlayFS upper and work directory of the branch's files
  std::string work = {};
  // The engine calls both while the whole tree is stopped. If one fails, the capture is undone and
  // the error returned. copy_files is called first, possibly on another thread during the capture,
  // and again if another engine tries.
  std::function<Status()> copy_files;
  std::function<Status()> while_stopped;
  AtPoint at_point = {};
  // Keep the tree stopped (Captured::held). kUnsupported: a process could notice. kBusy: not now.
  bool hold = false;
};

struct RestoreRequest {
  std::string engine;  // that made the image
  std::string image_dir;
  std::string root_view;  // mount point of the new branch's root
  // Creates the root there. Called once, possibly on another thread while the engine works.
  std::function<Status()> make_files;
  bool lock_network = false;  // Captured::tcp_in_flight
  pid_t last_pid = 0;         // value for the PID namespace's counter
  AtPoint at_point = {};
  bool close_tcp = false;   // restore established connections closed: their peers are outside
  bool prerestore = false;  // ahead of the request; kUnsupported if a process could notice
};

// A tree that stays stopped until resume().
class HeldTree {
 public:
  virtual ~HeldTree() = default;
  virtual Status resume() = 0;
  // Processes to watch: if one of them ends, the tree has changed. Empty: no need to watch.
  virtual std::vector<pid_t> processes() const { return {}; }
  // True if the kernel's context switch counts prove that no thread ran since the tree was stopped.
  virtual bool has_not_run() const { return false; }
};

struct Captured {
  std::string engine;                   // that made the image
  pid_t last_pid = 0;                   // the branch's pid counter
  bool own_ipc = false;                 // the image holds the IPC namespace
  bool tcp_in_flight = false;           // the network must be blocked during the restore
  std::uint64_t bytes = 0;              // of the image, without files shared with other images
  bool may_hold = false;                // could be held without a process noticing, once all wait
  std::unique_ptr<HeldTree> held = {};  // set if requested; the destructor resumes the tree
};

struct RestoredTree {
  os::Child init;         // a child of the caller
  os::UniqueFd terminal;  // master side of the branch's terminal
  // Processes stopped before their first instruction; without resume() they are killed. Null: all
  // run already.
  std::unique_ptr<HeldTree> held;
};

// Not thread-safe. The caller is in the branch's network and UTS namespaces, and in its IPC
// namespace unless the image holds that.
class ProcessEngine {
 public:
  virtual ~ProcessEngine() = default;
  // Pays start-up costs ahead of the next capture() or restore().
  virtual void warm_up() = 0;
  // Pays CRIU's start-up costs ahead of a restore. Must be the first call.
  virtual void expect_criu() {}
  // Ends the workers that earlier calls started ahead of time.
  virtual void stand_down() {}
  // Releases threads that stopped too late for the last capture. Returns true if some have not
  // stopped yet; the caller then asks again soon.
  virtual bool release_async_threads() { return false; }
  // The tree keeps running on success and on failure, unless `hold` was set and the capture
  // succeeds. The error names what could not be captured.
  virtual Result<Captured> capture(const CaptureRequest& request) = 0;
  virtual Result<RestoredTree> restore(const RestoreRequest& request) = 0;
};

}  // namespace sf::waypoint
