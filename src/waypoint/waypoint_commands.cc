// Requests to a live branch: commands, keys, the screen, files.
#include "shell/shell_client.h"
#include "waypoint/layer_digest.h"
#include "waypoint/waypoint_impl.h"

namespace sf::waypoint {

namespace {

constexpr auto kDigestTime = std::chrono::minutes(15);

}  // namespace

Result<std::string> Waypoint::Impl::digest(const BranchId& branch, const DigestRequest& request) {
  SF_TRY_ASSIGN(LiveRecord live, branches_.find(branch));
  std::string base;
  if (request.since) {
    std::lock_guard lock(mutex_);
    SF_TRY_ASSIGN(Manifest manifest, checkpoints_.load_hidden_too(*request.since));
    base = sealed_file_layer(source_of(manifest.info));
  } else if (!live.record.template_file_layer.empty()) {
    base = live.record.template_file_layer;  // the root may have changed since
  } else {
    SF_TRY_ASSIGN(base, template_for(live.record.config.root));
  }
  SF_TRY_ASSIGN(wire::DigestReply reply, live.client->ask(wire::DigestCall{base, request.limits},
                                                          Deadline::after(kDigestTime)));
  return std::move(reply.text);
}

Result<std::string> Waypoint::digest(const BranchId& branch, const DigestRequest& request) {
  return impl_->digest(branch, request);
}

Result<Observation> Waypoint::exec(const BranchId& branch, const ExecRequest& request,
                                   const OutputSink& sink) {
  SF_TRY_ASSIGN(ShellClient shell, impl_->shell(branch));
  return shell.exec(request, sink);
}

Result<SideObservation> Waypoint::side_exec(const BranchId& branch, const SideRequest& request) {
  SF_TRY_ASSIGN(ShellClient shell, impl_->shell(branch));
  return shell.side_exec(request);
}

Result<TypedKeys> Waypoint::send_keys(const BranchId& branch, std::string_view bytes) {
  SF_TRY_ASSIGN(ShellClient shell, impl_->shell(branch));
  return shell.send_keys(bytes);
}

Result<TypedKeys> Waypoint::send_input(const BranchId& branch, const InputEvents& input) {
  SF_TRY_ASSIGN(ShellClient shell, impl_->shell(branch));
  return shell.send_input(input);
}

Result<ScreenText> Waypoint::screen(const BranchId& branch, std::size_t scrollback_lines) {
  SF_TRY_ASSIGN(ShellClient shell, impl_->shell(branch));
  return shell.screen(scrollback_lines);
}

Status Waypoint::Impl::resize(const BranchId& branch, WindowSize size) {
  SF_TRY_ASSIGN(LiveRecord live, branches_.find(branch));
  SF_TRY(ShellClient(live.client).resize(size));
  branches_.set_window(live.record, size);
  return Ok{};
}

Status Waypoint::resize(const BranchId& branch, WindowSize size) {
  return impl_->resize(branch, size);
}

Result<WindowSize> Waypoint::window(const BranchId& branch) { return impl_->window(branch); }

Status Waypoint::write_file(const BranchId& branch, const std::string& path,
                            std::string_view content) {
  SF_TRY_ASSIGN(ShellClient shell, impl_->shell(branch));
  return shell.write_file(path, content);
}

Result<TerminalWatch> Waypoint::watch(const BranchId& branch) {
  SF_TRY_ASSIGN(ShellClient shell, impl_->shell(branch));
  return shell.watch();
}

Result<BranchFacts> Waypoint::facts(const BranchId& branch) {
  SF_TRY_ASSIGN(ShellClient shell, impl_->shell(branch));
  return shell.facts();
}

Result<ShellClient> Waypoint::shell(const BranchId& branch) { return impl_->shell(branch); }

}  // namespace sf::waypoint
