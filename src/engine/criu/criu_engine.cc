#include "engine/criu/criu_engine.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <nlohmann/json.hpp>
#include <optional>

#include "engine/capture_facts.h"
#include "engine/criu/criu_blockers.h"
#include "engine/criu/losses.h"
#include "engine/criu/removed_names.h"
#include "engine/criu/rpc_codec.h"
#include "engine/criu/tree_attributes.h"
#include "engine/criu/tty_image.h"
#include "engine/native/ipc/posix_queues.h"
#include "engine/pid_counter.h"
#include "os/directory_tree.h"
#include "os/error.h"
#include "os/file.h"
#include "os/loopback_gate.h"
#include "os/socket.h"

namespace sf::waypoint {
namespace {

using criu::Options;
using criu::RequestType;
using criu::Response;

constexpr auto kAnswerTime = std::chrono::minutes(10);
constexpr std::size_t kMaxMessage = 65536;
constexpr std::size_t kMaxTable = 256U << 20U;
constexpr std::size_t kMaxStanding = 256U << 20U;

struct Worker {
  os::Child process;
  os::UniqueFd socket;
};

enum class Purpose { kCapture, kRestore };

class CriuEngine : public ProcessEngine {
 public:
  explicit CriuEngine(CriuSetup setup) : setup_(std::move(setup)) {}

  void warm_up() override {
    // A keeper restores at most once, at its start, so only capture workers are needed from now on.
    restore_spare_.reset();
    if (spare_) return;
    auto worker = spawn_worker(Purpose::kCapture, false);
    if (worker) spare_ = std::move(*worker);
  }

  // Restore workers run in the branch's cgroup.
  void expect_criu() override {
    auto worker = spawn_worker(Purpose::kRestore, false);
    if (worker) restore_spare_ = std::move(*worker);
  }

  void stand_down() override {
    restore_spare_.reset();
    spare_.reset();
  }

  Result<Captured> capture(const CaptureRequest& request) override {
    const std::vector<criu::Running> before = criu::running_in(request.root);
    auto captured = dump(request);
    if (!captured) return criu::with_losses(std::move(captured).error(), before);
    return captured;
  }

  Result<RestoredTree> restore(const RestoreRequest& request) override {
    SF_TRY(request.make_files());
    Options options;
    options.images_dir = request.image_dir;
    options.log_file = "restore-" + std::to_string(::getpid()) + ".log";
    options.root = request.root_view;
    options.close_tcp = request.close_tcp;
    std::optional<os::LoopbackGate> gate;  // opened once all sockets are restored
    RestoredTree tree;
    pid_t init = 0;
    Status inner = Ok{};
    auto on_notice = [&](const Response& notice, os::UniqueFd passed) {
      if (notice.notify_script == "orphan-pts-master" && passed.valid())
        tree.terminal = std::move(passed);
      if (notice.notify_script == "pre-restore" && request.lock_network) {
        auto closed = os::LoopbackGate::close();
        if (closed) {
          gate.emplace(std::move(*closed));
        } else {
          inner = std::move(closed).error();
        }
      }
      if (notice.notify_script == "post-restore") {
        init = notice.pid;
        inner = write_pid_counter(init, request.last_pid);
      }
      if (notice.notify_script == "pre-resume") {
        inner = bring_back_standing(request, init);
        if (inner && gate) inner = gate->open();
      }
      return inner.ok();
    };
    auto answer =
        ask(Purpose::kRestore, false, encode_request(RequestType::kRestore, options), on_notice);
    std::string log = request.image_dir + "/" + options.log_file;
    if (!inner) return std::move(inner).error().while_doing("restoring processes");
    if (!answer) return std::move(answer).error().while_doing("restoring processes");
    if (!answer->success) return explain_restore_failure(log);
    ::unlink(log.c_str());
    SF_TRY_ASSIGN(tree.init, os::adopt_child(answer->pid));
    if (!tree.terminal.valid()) return fail(ErrorCode::kOs, "CRIU restored no terminal");
    return tree;
  }

 private:
  Result<Captured> dump(const CaptureRequest& request) {
    if (native::may_have_queues(queues_))
      return refuse_capture({{.pid = 1,
                              .process = "the branch",
                              .what = "a POSIX message queue",
                              .why = "CRIU does not record queues",
                              .advice = "remove it, or use the native engine"}});
    SF_TRY(decline_lost_leader(request));
    Captured captured{std::string(kCriuName)};
    captured.own_ipc = has_ipc_objects();
    captured.tcp_in_flight = tcp_in_flight(request);
    Options options;
    options.images_dir = request.image_dir;
    options.log_file = "dump.log";
    options.pid = request.root;
    options.leave_running = true;
    options.network_lock =
        captured.tcp_in_flight ? criu::NetworkLock::kNftables : criu::NetworkLock::kSkip;
    Status inner = Ok{};
    auto answer =
        ask(Purpose::kCapture, captured.own_ipc, encode_request(RequestType::kDump, options),
            [&](const Response& notice, os::UniqueFd) {
              if (notice.notify_script != "post-dump") return true;
              captured.tcp_in_flight = captured.tcp_in_flight || tcp_in_flight(request);
              inner = decline_replaced(request.root);
              if (inner) inner = note_standing(request);
              if (inner) inner = request.copy_files();
              if (inner) inner = request.while_stopped();
              if (inner) inner = note_pid_counter(request.root, captured);
              return inner.ok();
            });
    if (!inner) return std::move(inner).error();
    if (!answer) return std::move(answer).error().while_doing("capturing processes");
    if (!answer->success && os::is_full(request.image_dir))
      return fail(ErrorCode::kNoSpace, "no room for the process images in " + request.image_dir,
                  "make room on that file system, or remove checkpoints");
    if (!answer->success)
      return explain_capture_failure(request.root, request.image_dir + "/dump.log");
    // Without this image CRIU restores the tree into the host's time namespace, which is correct on
    // the same boot and saves 3 ms.
    ::unlink((request.image_dir + "/timens-0.img").c_str());
    SF_TRY(name_terminal_session(request));
    SF_TRY(give_terminal_leader(request));
    captured.bytes = os::tree_bytes(request.image_dir);
    return captured;
  }

  static bool tcp_in_flight(const CaptureRequest& request) {
    // The host's network must not be blocked; connections over it are restored closed anyway.
    if (request.host_network) return false;
    for (const char* table : {"/net/tcp", "/net/tcp6"}) {
      auto text = os::read_file("/proc/" + std::to_string(request.root) + table, kMaxTable);
      if (text && has_tcp_in_flight(*text)) return true;
    }
    return false;
  }

  static Status note_pid_counter(pid_t member, Captured& captured) {
    SF_TRY_ASSIGN(captured.last_pid, read_pid_counter(member));
    return Ok{};
  }

  static Status decline_replaced(pid_t root) {
    std::vector<Blocker> blockers = criu::find_replaced(criu::read_removed_names(root));
    if (blockers.empty()) return Ok{};
    return refuse_capture(blockers);
  }

  // A process group keeps its id after the leader has ended: of `true | python3` only Python is
  // left. If such a group is in the foreground, CRIU either does not dump it ("ctty inheritance
  // detected"), or restores it so that the shell never gets the terminal back.
  static Status decline_lost_leader(const CaptureRequest& request) {
    std::optional<Blocker> member;
    for (pid_t pid : os::process_tree(request.root)) {
      if (os::namespace_group(pid) != request.terminal_group || !os::process_key(pid)) continue;
      const pid_t inner = os::namespace_pid(pid).value_or(0);
      if (inner == request.terminal_group) return Ok{};
      member = Blocker{.pid = inner,
                       .process = os::process_name(pid),
                       .what = "a foreground pipeline without its first process",
                       .why = "CRIU cannot make such a group the foreground group again",
                       .advice = "end that process, or use the native engine"};
    }
    return member ? Status(refuse_capture({*member})) : Status(Ok{});
  }

  static Status note_standing(const CaptureRequest& request) {
    SF_TRY_ASSIGN(criu::TreeAttributes standing, criu::read_tree_attributes(request.root));
    return os::write_file(request.image_dir + criu::kStandingFile, criu::to_json(standing).dump());
  }

  static Status bring_back_standing(const RestoreRequest& request, pid_t init) {
    auto text = os::read_file(request.image_dir + criu::kStandingFile, kMaxStanding);
    if (!text && text.error().os_errno == ENOENT) return Ok{};  // an image of an older version
    if (!text) return std::move(text).error();
    SF_TRY_ASSIGN(criu::TreeAttributes standing,
                  criu::tree_attributes_from_json(wire::Json::parse(*text, nullptr, false)));
    return criu::apply_tree_attributes(init, standing);
  }

  static Status name_terminal_session(const CaptureRequest& request) {
    std::string path = request.image_dir + "/tty-info.img";
    SF_TRY_ASSIGN(std::string image, os::read_file(path));
    SF_TRY_ASSIGN(std::string named, criu::with_terminal_session(
                                         image, static_cast<unsigned>(request.terminal_session),
                                         static_cast<unsigned>(request.terminal_group)));
    return named == image ? Status(Ok{}) : os::write_file(path, named);
  }

  static Status give_terminal_leader(const CaptureRequest& request) {
    std::string path = request.image_dir + "/files.img";
    SF_TRY_ASSIGN(std::string image, os::read_file(path, kMaxTable));
    SF_TRY_ASSIGN(std::string terminals, os::read_file(request.image_dir + "/tty-info.img"));
    SF_TRY_ASSIGN(std::string led, criu::with_terminal_leader(image, terminals));
    return led == image ? Status(Ok{}) : os::write_file(path, led);
  }

  Result<Worker> take_worker(Purpose purpose, bool own_ipc) {
    std::optional<Worker>& spare = purpose == Purpose::kRestore ? restore_spare_ : spare_;
    if (spare && has_ended(*spare)) spare.reset();  // it was killed while idle
    if (spare && !own_ipc) {
      Worker worker = std::move(*spare);
      spare.reset();
      return worker;
    }
    return spawn_worker(purpose, own_ipc);
  }

  static bool has_ended(const Worker& worker) {
    auto ended = os::wait_readable(worker.process.pidfd(), Deadline::after(seconds(0)));
    return ended && *ended;
  }

  Result<Worker> spawn_worker(Purpose purpose, bool own_ipc) {
    SF_TRY_ASSIGN(auto ends, os::seqpacket_pair());
    os::SpawnOptions options;
    options.argv = {setup_.criu, "swrk", "3"};
    options.env = {"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"};
    options.env.push_back("LD_PRELOAD=" + setup_.criu_shim);
    options.pass_fds = {{ends.second.get(), 3}};
    options.new_ipc = own_ipc;
    options.death_signal = SIGKILL;
    options.cgroup_procs = setup_.engine_procs;
    if (purpose == Purpose::kRestore) {
      options.cgroup_procs = setup_.cgroup_procs;
      options.new_cgroup_namespace = true;
    }
    auto child = os::spawn(options);
    if (!child)
      return std::move(child)
          .error()
          .while_doing("starting CRIU")
          .with_hint("`statefork doctor` checks CRIU");
    return Worker{std::move(*child), std::move(ends.first)};
  }

  static Status send(const Worker& worker, const std::string& message) {
    if (::send(worker.socket.get(), message.data(), message.size(), MSG_NOSIGNAL) < 0)
      return os::last_error("sending a request to CRIU");
    return Ok{};
  }

  // True if CRIU has sent a message or has ended. Only the pidfd shows its end: the processes that
  // it was about to restore hold copies of the socket.
  static Result<bool> wait_for_answer(const Worker& worker, Deadline deadline) {
    pollfd entries[2] = {{worker.socket.get(), POLLIN, 0}, {worker.process.pidfd(), POLLIN, 0}};
    for (;;) {
      int n = ::poll(entries, 2, deadline.poll_timeout_ms());
      if (n >= 0) return n > 0;
      if (errno != EINTR) return os::last_error("waiting for CRIU");
    }
  }

  static Error ended(Worker& worker) {
    auto status = worker.process.wait(Deadline::after(seconds(5)));
    return fail(ErrorCode::kOs,
                "CRIU ended unexpectedly" + (status ? " (" + status->text() + ")" : ""));
  }

  // Handles one request from beginning to end. If the worker was killed while idle, it has not read
  // its request, so another worker takes its place.
  template <typename OnNotice>
  Result<Response> ask(Purpose purpose, bool own_ipc, const std::string& request,
                       OnNotice on_notice) {
    for (bool again = false;; again = true) {
      SF_TRY_ASSIGN(Worker worker, take_worker(purpose, own_ipc));
      Status sent = send(worker, request);
      bool heard = false;
      auto listen = [&](const Response& notice, os::UniqueFd passed) {
        heard = true;
        return on_notice(notice, std::move(passed));
      };
      if (sent) {
        Result<Response> answer = converse(worker, listen);
        bool unread = !heard && !answer && answer.error().os_errno == ECONNRESET;
        if (again || !unread) return answer;
      } else if (again) {
        return std::move(sent).error();
      }
    }
  }

  // Answers notifications until the final response. `on_notice` returns whether CRIU may continue.
  template <typename OnNotice>
  Result<Response> converse(Worker& worker, OnNotice on_notice) {
    Deadline deadline = Deadline::after(kAnswerTime);
    for (;;) {
      SF_TRY_ASSIGN(bool ready, wait_for_answer(worker, deadline));
      if (!ready) return fail(ErrorCode::kTimedOut, "CRIU did not answer in time");
      SF_TRY_ASSIGN(bool said, os::wait_readable(worker.socket.get(), Deadline::after(seconds(0))));
      if (!said) return ended(worker);
      SF_TRY_ASSIGN(os::Datagram datagram, os::receive_datagram(worker.socket.get(), kMaxMessage));
      if (datagram.bytes.empty()) return ended(worker);
      SF_TRY_ASSIGN(Response response, criu::decode_response(datagram.bytes));
      if (response.type != RequestType::kNotify) return response;
      bool resume = on_notice(response, std::move(datagram.passed_fd));
      SF_TRY(send(worker, criu::encode_notify_answer(resume)));
    }
  }

  CriuSetup setup_;
  std::optional<Worker> spare_;
  std::optional<Worker> restore_spare_;
  native::PosixQueues queues_;  // only used to detect queues
};

}  // namespace

std::unique_ptr<ProcessEngine> make_criu_engine(CriuSetup setup) {
  return std::make_unique<CriuEngine>(std::move(setup));
}

}  // namespace sf::waypoint
