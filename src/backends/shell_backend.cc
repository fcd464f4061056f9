#include "backends/shell_backend.h"

namespace sf::backends {

using control::BranchHandle;
using waypoint::ShellClient;

Result<Observation> ShellBackend::exec(const BranchHandle& branch, const ExecRequest& request,
                                       const OutputSink& sink) {
  return ask(branch, [&](ShellClient& shell) {
    ExecRequest wanted = request;
    wanted.fingerprint = notices_unchanged();
    wanted.always_fingerprint = request.always_fingerprint && has_digests();
    return shell.exec(wanted, sink);
  });
}

Result<SideObservation> ShellBackend::run(const BranchHandle& branch, const SideRequest& request) {
  return ask(branch, [&](ShellClient& shell) { return shell.side_exec(request); });
}

Result<TypedKeys> ShellBackend::send_keys(const BranchHandle& branch, std::string_view keys) {
  return ask(branch, [&](ShellClient& shell) { return shell.send_keys(keys); });
}

Result<TypedKeys> ShellBackend::send_input(const BranchHandle& branch, const InputEvents& input) {
  return ask(branch, [&](ShellClient& shell) { return shell.send_input(input); });
}

Result<ScreenText> ShellBackend::screen(const BranchHandle& branch, std::size_t scrollback) {
  return ask(branch, [&](ShellClient& shell) { return shell.screen(scrollback); });
}

Status ShellBackend::resize(const BranchHandle& branch, std::uint16_t rows, std::uint16_t cols) {
  return ask(branch, [&](ShellClient& shell) { return shell.resize({rows, cols}); });
}

Result<WindowSize> ShellBackend::window(const BranchHandle& branch) {
  SF_TRY_ASSIGN(ScreenText shown, screen(branch, 0));
  return shown.size;
}

Result<std::unique_ptr<TerminalFeed>> ShellBackend::watch(const BranchHandle& branch) {
  SF_TRY_ASSIGN(waypoint::TerminalWatch watch,
                ask(branch, [](ShellClient& shell) { return shell.watch(); }));
  return std::unique_ptr<TerminalFeed>(std::make_unique<waypoint::TerminalWatch>(std::move(watch)));
}

Result<std::string> ShellBackend::read_file(const BranchHandle& branch, const std::string& path,
                                            std::size_t max_bytes) {
  return ask(branch, [&](ShellClient& shell) { return shell.read_file(path, max_bytes); });
}

Status ShellBackend::write_file(const BranchHandle& branch, const std::string& path,
                                std::string_view content) {
  return ask(branch, [&](ShellClient& shell) { return shell.write_file(path, content); });
}

Result<BranchFacts> ShellBackend::facts(const BranchHandle& branch) {
  return ask(branch, [](ShellClient& shell) { return shell.facts(); });
}

}  // namespace sf::backends
