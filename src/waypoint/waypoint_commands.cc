// Talking to a live branch: commands, keys, the screen.
#include "waypoint/shell_client.h"
#include "waypoint/waypoint_impl.h"

namespace sf::waypoint {

Result<ExecResult> Waypoint::exec(const BranchId& branch, const ExecRequest& request,
                                  const OutputSink& sink) {
  SF_TRY_ASSIGN(ShellClient shell, impl_->shell(branch));
  return shell.exec(request, sink);
}

Result<SideExecResult> Waypoint::side_exec(const BranchId& branch, const SideExecRequest& request) {
  SF_TRY_ASSIGN(ShellClient shell, impl_->shell(branch));
  return shell.side_exec(request);
}

Status Waypoint::send_keys(const BranchId& branch, std::string_view bytes) {
  SF_TRY_ASSIGN(ShellClient shell, impl_->shell(branch));
  return shell.send_keys(bytes);
}

Result<ScreenText> Waypoint::screen(const BranchId& branch, std::size_t scrollback_lines) {
  SF_TRY_ASSIGN(ShellClient shell, impl_->shell(branch));
  return shell.screen(scrollback_lines);
}

Status Waypoint::resize(const BranchId& branch, WindowSize size) {
  SF_TRY_ASSIGN(ShellClient shell, impl_->shell(branch));
  return shell.resize(size);
}

Status Waypoint::write_file(const BranchId& branch, const std::string& path,
                            std::string_view content) {
  SF_TRY_ASSIGN(ShellClient shell, impl_->shell(branch));
  return shell.write_file(path, content);
}

Result<TerminalWatch> Waypoint::watch(const BranchId& branch) {
  SF_TRY_ASSIGN(ShellClient shell, impl_->shell(branch));
  return shell.watch();
}

}  // namespace sf::waypoint
