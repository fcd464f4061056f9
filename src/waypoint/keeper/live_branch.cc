#include "waypoint/keeper/live_branch.h"

#include <fcntl.h>
#include <sched.h>

#include <algorithm>
#include <thread>

#include "engine/capture_facts.h"
#include "engine/pid_counter.h"
#include "os/error.h"
#include "os/file.h"
#include "shell/capabilities.h"
#include "shell/init/init_launcher.h"
#include "shell/plain_command.h"
#include "waypoint/keeper/keeper_namespaces.h"
#include "waypoint/keeper/root_view.h"

namespace sf::waypoint {
namespace {

constexpr long kMostWithoutCheckpoint = 8;  // commands; then checkpoints are not expected
constexpr std::size_t kMaxCatchUp = 64U << 10U;
constexpr auto kPromptTime = milliseconds(100);  // to return to the prompt after a command

Status enter_ipc_namespace(pid_t pid) {
  SF_TRY_ASSIGN(os::UniqueFd space,
                os::open_file("/proc/" + std::to_string(pid) + "/ns/ipc", O_RDONLY));
  if (::setns(space.get(), CLONE_NEWIPC) != 0)
    return os::last_error("entering the branch's IPC namespace");
  return Ok{};
}

}  // namespace

Result<std::unique_ptr<LiveBranch>> LiveBranch::start(BranchParts parts, BranchConfig config,
                                                      const std::string& template_file_layer,
                                                      const FaultPlan& faults) {
  std::unique_ptr<LiveBranch> branch(new LiveBranch(std::move(parts), std::move(config)));
  SF_TRY(faults.at("start.before_files"));
  SF_TRY(branch->make_files(template_file_layer));
  SF_TRY(faults.at("start.before_processes"));
  SF_TRY(set_hostname(branch->config().hostname));
  SF_TRY(branch->start_processes());
  SF_TRY(faults.at("start.after_processes"));
  return branch;
}

Result<std::unique_ptr<LiveBranch>> LiveBranch::restore(BranchParts parts, BranchConfig config,
                                                        const std::string& sealed_file_layer,
                                                        const std::string& image_dir,
                                                        const CapturedState& state, bool prerestore,
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
                              SF_TRY(branch->make_files(sealed_file_layer));
                              return faults.at("restore.before_processes");
                            },
                            .lock_network = state.tcp_in_flight,
                            .last_pid = state.last_pid,
                            .at_point = [&](std::string_view point) { return faults.at(point); },
                            .close_tcp = branch->config().network == Network::kHost,
                            .prerestore = prerestore}));
  branch->init_ = std::move(tree.init);
  branch->held_ = std::move(tree.held);
  pid_t init = branch->init_.pid();
  if (state.own_ipc) SF_TRY(enter_ipc_namespace(init));
  SF_TRY(branch->host_.adopt(init, std::move(tree.terminal), state.shell, state.user));
  branch->fingerprinted_at_ = state.shell.commands;
  branch->may_hold_ = state.may_hold;
  branch->watch_for_looks();
  branch->missed_ = state.shell.catch_up;
  return branch;
}

Status LiveBranch::release() {
  auto held = std::move(held_);
  return held ? held->resume() : Ok{};
}

Status LiveBranch::resume(const FaultPlan& faults) {
  if (held_) {
    SF_TRY(held_->resume());
    held_.reset();
    SF_TRY(faults.at("restore.native_released"));
  }
  if (missed_) SF_TRY(host_.catch_up(parts_.gate.open(), *missed_));
  missed_.reset();
  return faults.at("restore.after_processes");
}

Status LiveBranch::make_files(const std::string& from_file_layer) {
  SF_TRY(parts_.file_layers.copy(from_file_layer, parts_.file_layer));
  FileLayerPaths file_layer = parts_.file_layers.paths(parts_.file_layer);
  SF_TRY(prepare_copied_file_layer(file_layer));
  return mount_root_view(config().root, file_layer, kRootMount);
}

Status LiveBranch::start_processes() {
  SF_TRY(host_.choose_user());
  SF_TRY_ASSIGN(std::uint64_t capabilities,
                with_capabilities(container_capabilities(), config().extra_capabilities));
  SF_TRY_ASSIGN(init_, launch_init({.root_view = kRootMount,
                                    .cgroup_forker = &parts_.cgroup_forker,
                                    .capabilities = capabilities,
                                    .rlimits = config().rlimits}));
  SF_TRY(host_.open(init_.pid(), "/proc/" + std::to_string(init_.pid()) + "/root"));
  watch_for_looks();
  return host_.start_shell();
}

void LiveBranch::watch_for_looks() {
  ShellDriver& shell = host_.shell();
  shell.wants_fingerprint = [this] {
    return host_.shell().commands() - fingerprinted_at_ <= kMostWithoutCheckpoint;
  };
  shell.may_fingerprint = [this] { return stands_alone(as_fingerprinted()); };
}

// The shell's last command may have ended just before, so wait for the prompt.
bool LiveBranch::waits_at_prompt() {
  for (Deadline patience = Deadline::after(kPromptTime); !host_.shell().waits_at_prompt();) {
    if (patience.passed()) return false;
    std::this_thread::sleep_for(microseconds(100));
  }
  return true;
}

std::optional<StateFingerprint> LiveBranch::fingerprint() {
  const std::optional<ShellFingerprint>& shell_fingerprint = host_.shell().fingerprint();
  if (!shell_fingerprint || !shell_fingerprint->loud.empty() || !waits_at_prompt())
    return std::nullopt;
  return fingerprint_state(as_fingerprinted(), *shell_fingerprint, queues_);
}

Result<std::string> LiveBranch::digest(const DigestLimits& limits, const std::string& base,
                                       bool waits) {
  std::string text(kDigestFormat);
  if (limits.files) {
    SF_TRY_ASSIGN(std::string files,
                  digest_layer(upper(), parts_.file_layers.paths(base).upper, limits));
    text += " files:" + files;
  }
  if (!limits.shell) return text;
  const std::optional<ShellFingerprint>& shell_fingerprint = host_.shell().fingerprint();
  if (!shell_fingerprint)
    return fail(ErrorCode::kUnsupported, "the shell did not report its state");
  if (!waits && !waits_at_prompt())
    return fail(ErrorCode::kUnsupported, "the shell is not at its prompt");
  auto shell = digest_shell(as_fingerprinted(), *shell_fingerprint, queues_);
  if (!shell)
    return fail(ErrorCode::kUnsupported,
                "the branch has state without a digest: processes, pipes, IPC objects or mounts");
  fingerprinted_at_ = host_.shell().commands();
  return text + " shell:" + *shell;
}

FingerprintedBranch LiveBranch::as_fingerprinted() const {
  FingerprintedBranch branch{.init = init_.pid(),
                             .shell = host_.shell().shell_host(),
                             .terminal = host_.shell().master_fd(),
                             .upper = upper(),
                             .commands = host_.shell().commands()};
  for (pid_t child : os::children_of(init_.pid())) {
    if (host_.holder() && os::namespace_pid(child) == *host_.holder()) branch.holder = child;
  }
  return branch;
}

std::optional<CapturedState> LiveBranch::same_as(const StateFingerprint& base,
                                                 const StateFingerprint& now) {
  fingerprinted_at_ = now.commands;
  host_.shell().on_terminal();
  if (now.digest != base.digest || now.commands < base.commands) return std::nullopt;
  auto commands = host_.shell().commands_since(base.commands);
  auto times = host_.shell().times_since(base.commands);
  const std::optional<ShellFingerprint>& shell_fingerprint = host_.shell().fingerprint();
  if (!commands || !times || !shell_fingerprint || !records_every_command(*shell_fingerprint))
    return std::nullopt;
  // Each command adds one line; otherwise the user has set $LINENO.
  const long lines = now.line - base.line;
  if (lines != static_cast<long>(commands->size())) return std::nullopt;
  std::size_t bytes = shell_fingerprint->last_word.size();
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
                                   .last_word = shell_fingerprint->last_word,
                                   .lines = lines,
                                   .commands = std::move(*commands),
                                   .times = std::move(*times),
                                   .programs = shell_fingerprint->programs};
  return state;
}

Result<CapturedState> LiveBranch::capture(const CaptureOrder& order, const FaultPlan& faults) {
  SF_TRY(faults.at("checkpoint.before_dump"));
  CapturedState state;
  // If init is serving a request, the image does not match the fingerprint of another moment.
  if (host_.shell().channel().served()) state.fingerprint = order.fingerprint;
  fingerprinted_at_ = host_.shell().commands();
  state.hostname = current_hostname();
  state.user = host_.user();
  FileLayerPaths files = parts_.file_layers.paths(parts_.file_layer);
  Stopwatch stopped;
  bool copied = false;
  auto captured = parts_.engine.capture(
      {.engine = config().engine,
       .root = init_.pid(),
       .image_dir = order.image_dir,
       .terminal_session = host_.shell().shell(),
       .terminal_group = host_.shell().foreground_group(),
       .init_requests = host_.shell().channel().served(),
       .host_network = config().network == Network::kHost,
       .upper = files.upper,
       .work = files.work,
       .copy_files = [&]() -> Status {
         if (copied) SF_TRY(parts_.file_layers.remove(order.sealed_file_layer));
         copied = false;
         SF_TRY(parts_.file_layers.copy(parts_.file_layer, order.sealed_file_layer));
         copied = true;
         // Do this here once, instead of in every restore.
         return prepare_copied_file_layer(parts_.file_layers.paths(order.sealed_file_layer));
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
    (void)parts_.file_layers.remove(order.sealed_file_layer);
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
