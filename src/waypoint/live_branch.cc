#include "waypoint/live_branch.h"

#include <fcntl.h>
#include <sched.h>

#include <algorithm>
#include <thread>

#include "os/error.h"
#include "os/file.h"
#include "waypoint/branch_facts.h"
#include "waypoint/capabilities.h"
#include "waypoint/init_launcher.h"
#include "waypoint/keeper_host.h"
#include "waypoint/pid_counter.h"
#include "waypoint/plain_command.h"
#include "waypoint/root_view.h"

namespace sf::waypoint {
namespace {

constexpr long kLookAhead = 8;  // commands without a checkpoint: then nobody seems to take any
constexpr std::size_t kMaxCatchUp = 64U << 10U;
constexpr auto kPromptTime = milliseconds(100);  // to get back there after a command

Status enter_ipc_namespace(pid_t pid) {
  SF_TRY_ASSIGN(os::UniqueFd space,
                os::open_file("/proc/" + std::to_string(pid) + "/ns/ipc", O_RDONLY));
  if (::setns(space.get(), CLONE_NEWIPC) != 0)
    return os::last_error("entering the branch's IPC namespace");
  return Ok{};
}

}  // namespace

Result<std::unique_ptr<LiveBranch>> LiveBranch::start(BranchParts parts, BranchConfig config,
                                                      const std::string& template_unit,
                                                      const FaultPlan& faults) {
  std::unique_ptr<LiveBranch> branch(new LiveBranch(std::move(parts), std::move(config)));
  SF_TRY(faults.at("start.before_files"));
  SF_TRY(branch->make_files(template_unit));
  SF_TRY(faults.at("start.before_processes"));
  SF_TRY(set_hostname(branch->config().hostname));
  SF_TRY(branch->start_processes());
  SF_TRY(faults.at("start.after_processes"));
  return branch;
}

Result<std::unique_ptr<LiveBranch>> LiveBranch::restore(BranchParts parts, BranchConfig config,
                                                        const std::string& sealed_unit,
                                                        const std::string& image_dir,
                                                        const CapturedState& state, bool ahead,
                                                        const FaultPlan& faults) {
  std::unique_ptr<LiveBranch> branch(new LiveBranch(parts, std::move(config)));
  SF_TRY(faults.at("restore.before_files"));
  SF_TRY(set_hostname(state.hostname));
  SF_TRY_ASSIGN(
      RestoredTree tree,
      parts.engine.restore({.engine = state.engine,
                            .image_dir = image_dir,
                            .root_view = kRootMount,
                            .make_files = [&]() -> Status {
                              SF_TRY(branch->make_files(sealed_unit));
                              return faults.at("restore.before_processes");
                            },
                            .lock_network = state.tcp_in_flight,
                            .last_pid = state.last_pid,
                            .at_point = [&](std::string_view point) { return faults.at(point); },
                            .close_tcp = branch->config().network == Network::kHost,
                            .ahead = ahead}));
  branch->init_ = std::move(tree.init);
  branch->held_ = std::move(tree.held);
  pid_t init = branch->init_.pid();
  if (state.own_ipc) SF_TRY(enter_ipc_namespace(init));
  SF_TRY(branch->host_.adopt(init, std::move(tree.terminal), state.shell, state.user));
  branch->marked_at_ = state.shell.commands;
  branch->may_hold_ = state.may_hold;
  branch->watch_for_looks();
  branch->missed_ = state.shell.catch_up;
  return branch;
}

Status LiveBranch::release() {
  auto held = std::move(held_);
  return held ? held->let_go() : Ok{};
}

Status LiveBranch::go_on(const FaultPlan& faults) {
  if (held_) {
    SF_TRY(held_->let_go());
    held_.reset();
    SF_TRY(faults.at("restore.native_released"));
  }
  if (missed_) SF_TRY(host_.catch_up(parts_.gate.open(), *missed_));
  missed_.reset();
  return faults.at("restore.after_processes");
}

Status LiveBranch::make_files(const std::string& from_unit) {
  SF_TRY(parts_.units.copy(from_unit, parts_.unit));
  UnitPaths unit = parts_.units.paths(parts_.unit);
  SF_TRY(prepare_copied_unit(unit));
  return mount_root_view(config().root, unit, kRootMount);
}

Status LiveBranch::start_processes() {
  SF_TRY(host_.choose_user());
  SF_TRY_ASSIGN(std::uint64_t capabilities,
                with_capabilities(container_capabilities(), config().extra_capabilities));
  SF_TRY_ASSIGN(init_, launch_init({.root_view = kRootMount,
                                    .cradle = &parts_.cradle,
                                    .capabilities = capabilities,
                                    .rlimits = config().rlimits}));
  SF_TRY(host_.open(init_.pid(), "/proc/" + std::to_string(init_.pid()) + "/root"));
  watch_for_looks();
  return host_.start_shell();
}

void LiveBranch::watch_for_looks() {
  ShellDriver& shell = host_.shell();
  shell.wants_look = [this] { return host_.shell().commands() - marked_at_ <= kLookAhead; };
  shell.may_look = [this] { return stands_alone(as_marked()); };
}

// Its last command may have ended only now.
bool LiveBranch::waits_at_prompt() {
  for (Deadline patience = Deadline::after(kPromptTime); !host_.shell().waits_at_prompt();) {
    if (patience.passed()) return false;
    std::this_thread::sleep_for(microseconds(100));
  }
  return true;
}

std::optional<StateMark> LiveBranch::mark() {
  const std::optional<ShellLook>& look = host_.shell().look();
  if (!look || !look->loud.empty() || !waits_at_prompt()) return std::nullopt;
  return mark_state(as_marked(), *look, queues_);
}

Result<std::string> LiveBranch::digest(const DigestLimits& limits, const std::string& base,
                                       bool waits) {
  std::string text(kDigestFormat);
  if (limits.files) {
    SF_TRY_ASSIGN(std::string files, digest_layer(upper(), parts_.units.paths(base).upper, limits));
    text += " files:" + files;
  }
  if (!limits.shell) return text;
  const std::optional<ShellLook>& look = host_.shell().look();
  if (!look) return fail(ErrorCode::kUnsupported, "the shell was not asked for its state");
  if (!waits && !waits_at_prompt())
    return fail(ErrorCode::kUnsupported, "the shell does not wait at its prompt");
  auto shell = digest_shell(as_marked(), *look, queues_);
  if (!shell)
    return fail(ErrorCode::kUnsupported,
                "the shell holds what cannot be compared: processes, pipes, IPC objects or mounts");
  marked_at_ = host_.shell().commands();
  return text + " shell:" + *shell;
}

MarkedBranch LiveBranch::as_marked() const {
  MarkedBranch branch{.init = init_.pid(),
                      .shell = host_.shell().shell_host(),
                      .terminal = host_.shell().master_fd(),
                      .upper = upper(),
                      .commands = host_.shell().commands()};
  for (pid_t child : os::children_of(init_.pid())) {
    if (host_.holder() && os::namespace_pid(child) == *host_.holder()) branch.holder = child;
  }
  return branch;
}

std::optional<CapturedState> LiveBranch::same_as(const StateMark& base, const StateMark& now) {
  marked_at_ = now.commands;
  host_.shell().on_terminal();
  if (now.digest != base.digest || now.commands < base.commands) return std::nullopt;
  auto commands = host_.shell().commands_since(base.commands);
  auto times = host_.shell().times_since(base.commands);
  const std::optional<ShellLook>& look = host_.shell().look();
  if (!commands || !times || !look || !records_every_command(*look)) return std::nullopt;
  // One line each. An $LINENO that does not count so is a variable of the user's.
  const long lines = now.line - base.line;
  if (lines != static_cast<long>(commands->size())) return std::nullopt;
  std::size_t bytes = look->last_word.size();
  for (const std::string& command : *commands) bytes += command.size();
  if (bytes > kMaxCatchUp || !std::ranges::all_of(*commands, is_plain) ||
      !std::ranges::all_of(*commands, fits_history_file))
    return std::nullopt;
  CapturedState state;
  state.hostname = current_hostname();
  state.user = host_.user();
  state.shell = host_.shell().state();
  if (!state.shell.typed.empty() || !state.shell.waiting.empty()) return std::nullopt;
  state.shell.request_pending = false;  // as in the image
  auto last_pid = read_pid_counter(init_.pid());
  if (!last_pid) return std::nullopt;
  state.last_pid = *last_pid;
  if (!commands->empty())
    state.shell.catch_up = CatchUp{.status = host_.shell().last_status(),
                                   .last_word = look->last_word,
                                   .lines = lines,
                                   .commands = std::move(*commands),
                                   .times = std::move(*times),
                                   .programs = look->programs};
  return state;
}

Result<CapturedState> LiveBranch::capture(const CaptureOrder& order, const FaultPlan& faults) {
  SF_TRY(faults.at("checkpoint.before_dump"));
  CapturedState state;
  // If init has a request just now, the image does not go with another moment's state.
  if (host_.shell().channel().served()) state.mark = order.mark;
  marked_at_ = host_.shell().commands();
  state.hostname = current_hostname();
  state.user = host_.user();
  UnitPaths files = parts_.units.paths(parts_.unit);
  Stopwatch stopped;
  bool copied = false;
  auto captured =
      parts_.engine.capture({.engine = config().engine,
                             .root = init_.pid(),
                             .image_dir = order.image_dir,
                             .terminal_session = host_.shell().shell(),
                             .terminal_group = host_.shell().foreground_group(),
                             .init_requests = host_.shell().channel().served(),
                             .host_network = config().network == Network::kHost,
                             .upper = files.upper,
                             .work = files.work,
                             .copy_files = [&]() -> Status {
                               if (copied) SF_TRY(parts_.units.remove(order.sealed_unit));
                               copied = false;
                               SF_TRY(parts_.units.copy(parts_.unit, order.sealed_unit));
                               copied = true;
                               // What every restore would have to do otherwise.
                               return prepare_copied_unit(parts_.units.paths(order.sealed_unit));
                             },
                             .while_stopped = [&]() -> Status {
                               SF_TRY(faults.at("checkpoint.after_dump"));
                               host_.shell().on_terminal();
                               state.shell = host_.shell().state();
                               return faults.at("checkpoint.after_files");
                             },
                             .at_point = [&](std::string_view point) { return faults.at(point); },
                             .hold = order.hold});
  state.stopped = stopped.elapsed();
  if (!captured) {
    (void)parts_.units.remove(order.sealed_unit);
    return std::move(captured).error();
  }
  state.engine = std::move(captured->engine);
  state.last_pid = captured->last_pid;
  state.own_ipc = captured->own_ipc;
  state.tcp_in_flight = captured->tcp_in_flight;
  state.image_bytes = captured->bytes;
  state.may_hold = captured->may_hold;
  held_ = std::move(captured->held);
  return state;
}

}  // namespace sf::waypoint
