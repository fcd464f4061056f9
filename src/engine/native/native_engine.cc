#include "engine/native/native_engine.h"

#include <future>

#include "base/scope_exit.h"
#include "engine/native/capture.h"
#include "engine/native/facts.h"
#include "engine/native/files/lost_names.h"
#include "engine/native/image.h"
#include "engine/native/native_blockers.h"
#include "engine/native/ptrace/context_switch_counts.h"
#include "engine/native/ptrace/quiescence.h"
#include "engine/native/ptrace/stopped_tree.h"
#include "engine/native/restore.h"
#include "engine/native/speculation_blockers.h"
#include "engine/pid_counter.h"
#include "os/file.h"
#include "os/process.h"

namespace sf::waypoint {
namespace {

constexpr std::size_t kMaxTree = 1U << 30U;
// If no thread can be started, the work runs later on the calling thread.
constexpr auto kBeside = std::launch::async | std::launch::deferred;

// A stopped tree that the destructor resumes.
class StillTree : public HeldTree {
 public:
  StillTree(native::StoppedTree tree, pid_t root)
      : tree_(std::move(tree)), root_(root), counts_(native::ContextSwitchCounts::of(root)) {}
  Status resume() override { return tree_.resume(); }
  std::vector<pid_t> processes() const override { return tree_.processes(); }
  bool has_not_run() const override {
    return counts_ && native::ContextSwitchCounts::of(root_) == counts_;
  }

 private:
  native::StoppedTree tree_;
  pid_t root_;
  std::optional<native::ContextSwitchCounts> counts_;  // read once all were stopped
};

Error moves_now() { return fail(ErrorCode::kBusy, "a thread in the branch is running"); }

class NativeEngine : public ProcessEngine {
 public:
  explicit NativeEngine(NativeSetup setup) : setup_(std::move(setup)), memory_(setup_.directory) {}

  // First accesses are slow, both to memory and to names in /proc.
  void warm_up() override {
    memory_.buffer.touch();
    pid_t init = memory_.init.look();
    if (init == 0) return;
    native::TreeFacts nobody;
    (void)memory_.host_context.add_to(nobody, init, false);
    for (pid_t child : os::children_of(init)) native::rehearse_reading(child);
  }

  bool release_async_threads() override { return late_.release(); }

  Result<Captured> capture(const CaptureRequest& request) override {
    // If this capture fails, another engine may look next and must find the memory unwatched.
    ScopeExit end_watches([&] {
      if (request.engine == EngineChoice::kAuto) memory_.watches.end_all();
    });
    SF_TRY_ASSIGN(native::StoppedTree stopped, stop_tree(request));
    // The copy ends before the tree is resumed: the future's destructor waits for it.
    auto files = std::async(kBeside, request.copy_files);
    SF_TRY_ASSIGN(Facts facts, read_facts(request, stopped));
    SF_TRY_ASSIGN(native::Wait wait, judge(request, facts.tree, stopped));
    SF_TRY(reached(request.at_point, "checkpoint.native_stopped"));
    SF_TRY_ASSIGN(native::WrittenTree written, write_pages(request, facts.tree, stopped));
    const bool may_hold = wait != native::Wait::kForATime && !native::running_clock(written.image);
    if (request.hold && !may_hold)
      return fail(ErrorCode::kUnsupported, "a timer in the branch is running");
    SF_TRY(files.get());
    SF_TRY(request.while_stopped());
    native::note_written(facts.tree, written, memory_.watches);
    memory_.init.captured(facts.init, written.image.processes[0], request.init_requests);
    SF_TRY(request.hold ? stopped.keep_still() : stopped.resume());
    end_watches.dismiss();
    SF_TRY(reached(request.at_point, "checkpoint.native_resumed"));
    SF_TRY_ASSIGN(Captured captured, write_image(request, written));
    captured.may_hold = may_hold;
    if (request.hold) captured.held = std::make_unique<StillTree>(std::move(stopped), request.root);
    return captured;
  }

  Result<RestoredTree> restore(const RestoreRequest& request) override {
    // A prerestore may be discarded, so its files are not copied in parallel.
    native::AsyncRoot root(
        request.root_view,
        std::async(request.prerestore ? std::launch::deferred : kBeside, request.make_files));
    SF_TRY_ASSIGN(std::string bytes,
                  os::read_file(request.image_dir + native::kTreeFile, kMaxTree));
    SF_TRY_ASSIGN(native::TreeImage tree, native::decode_tree(bytes));
    if (auto reason = request.prerestore
                          ? native::reason_not_to_speculate(tree, native::can_serve_faults())
                          : std::nullopt)
      return fail(ErrorCode::kUnsupported, *reason);
    auto restored =
        native::restore_tree(tree, request, root, setup_.cgroup_forker, memory_.watches);
    if (!restored) return std::move(restored).error().while_doing("restoring processes");
    memory_.init.restored(restored->init.pid(), tree.processes[0]);
    return restored;
  }

 private:
  struct Facts {
    native::TreeFacts tree;
    native::ProcessFacts init;  // as read, before the host's context was added
  };

  Result<native::StoppedTree> stop_tree(const CaptureRequest& request) {
    auto quiet = request.hold ? native::ContextSwitchCounts::of(request.root) : std::nullopt;
    if (request.hold && !quiet) return moves_now();
    // A held tree is stopped without the freezer, which would let every thread run for a moment.
    SF_TRY_ASSIGN(native::StoppedTree stopped,
                  native::StoppedTree::stop(request.root, request.hold ? "" : setup_.freezer,
                                            request.at_point, late_));
    if (quiet) {
      // A thread that ran after another one had stopped may have changed what the other waits for.
      auto now = native::ContextSwitchCounts::of(request.root);
      if (!now || !now->only_stopped_since(*quiet)) return moves_now();
    }
    return stopped;
  }

  Result<Facts> read_facts(const CaptureRequest& request, native::StoppedTree& stopped) {
    memory_.watches.complete_children();
    const bool knows_init = memory_.init.knows(request.root, request.init_requests);
    Facts facts;
    SF_TRY_ASSIGN(facts.tree, native::read_facts(stopped.processes(),
                                                 knows_init ? &memory_.init.facts() : nullptr));
    native::TreeFacts& tree = facts.tree;
    facts.init = tree.processes[0];
    SF_TRY(memory_.host_context.add_to(tree, request.root, !knows_init));
    native::recognise_watched(tree, memory_.watches);
    SF_TRY_ASSIGN(tree.ipc, native::read_ipc_facts());
    native::find_undo(tree);
    SF_TRY_ASSIGN(tree.ipc.posix_queues,
                  memory_.posix_queues.look(tree.own_namespaces[native::kIpcNamespace]));
    native::find_other_names(tree.processes, {request.upper, request.work + "/index"});
    tree.host_network = request.host_network;
    return facts;
  }

  // Fails if the tree cannot be captured, or cannot be held although that was requested. Returns
  // what its threads wait for.
  Result<native::Wait> judge(const CaptureRequest& request, const native::TreeFacts& facts,
                             native::StoppedTree& stopped) {
    const native::CallsMade calls = learn_calls(facts, stopped);
    std::vector<Blocker> blockers = native::find_blockers(facts);
    if (!blockers.empty()) {
      if (request.engine == EngineChoice::kAuto)
        native::make_calls_anew(facts, stopped, memory_.calls);
      return refuse_capture(blockers);
    }
    const native::Wait wait = native::wait_of(facts, calls);
    if (request.hold) {
      if (wait == native::Wait::kNot) return moves_now();
      if (wait == native::Wait::kForATime)
        return fail(ErrorCode::kUnsupported,
                    "a thread in the branch waits with a time limit, or for an outside process");
      make_once_more(facts, stopped);
    }
    return wait;
  }

  Result<native::WrittenTree> write_pages(const CaptureRequest& request,
                                          const native::TreeFacts& facts,
                                          native::StoppedTree& stopped) {
    auto written = native::capture_tree(facts, stopped, request, memory_);
    if (!written && os::is_full(request.image_dir))
      return fail(ErrorCode::kNoSpace, "no room for the process images in " + request.image_dir,
                  "make room on that file system, or remove checkpoints");
    if (!written) return std::move(written).error().while_doing("capturing processes");
    native::TreeImage& image = written->image;
    if (image.last_pid == 0) {  // /proc in the branch lacks the file
      SF_TRY_ASSIGN(image.last_pid, read_pid_counter(request.root));
    }
    image.terminal.session = request.terminal_session;
    image.terminal.group = request.terminal_group;
    return written;
  }

  // Requires: the pages are written. The tree may run.
  static Result<Captured> write_image(const CaptureRequest& request, native::WrittenTree& written) {
    const std::string bytes = native::encode_tree(written.image);
    SF_TRY(os::write_file(request.image_dir + native::kTreeFile, bytes));
    return Captured{.engine = std::string(kNativeName),
                    .last_pid = written.image.last_pid,
                    .bytes = written.pages.bytes() + bytes.size()};
  }

  // Learns the calls of all threads even if the capture fails: the kernel shows each number once.
  native::CallsMade learn_calls(const native::TreeFacts& facts, native::StoppedTree& stopped) {
    memory_.calls.begin();
    native::CallsMade calls;
    for_each_thread(facts, stopped,
                    [&](const native::ThreadFacts& thread, const native::Tracee& tracee) {
                      const user_regs_struct& registers = tracee.registers();
                      const long number = memory_.calls.learn(thread, registers);
                      if (!tracee.in_group_stop())
                        calls[thread.tid] = native::call_of(registers, number);
                    });
    return calls;
  }

  // No process may notice a held capture, so system calls that the stop made fail are repeated.
  static void make_once_more(const native::TreeFacts& facts, native::StoppedTree& stopped) {
    for_each_thread(facts, stopped, [](const native::ThreadFacts&, native::Tracee& tracee) {
      if (auto again = native::made_once_more(tracee.registers())) tracee.resume_with(*again);
    });
  }

  NativeSetup setup_;
  native::CaptureMemory memory_;
  native::AsyncThreads late_;
};

}  // namespace

std::unique_ptr<ProcessEngine> make_native_engine(NativeSetup setup) {
  return std::make_unique<NativeEngine>(std::move(setup));
}

}  // namespace sf::waypoint
