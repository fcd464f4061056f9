#include "engine/criu/criu_binary.h"

#include <charconv>
#include <cstdlib>
#include <sstream>

#include "os/host_info.h"
#include "os/mount.h"
#include "os/probe.h"
#include "os/run_program.h"

namespace sf::waypoint {
namespace {

constexpr std::string_view kVersionLabel = "Version: ";

constexpr const char* kInstall = "tools/dev setup";

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

// Takes "12" and the dot off the front of "12.3". False if there is no number. A sign is not part
// of a number: in "4.1-5-g1234" the dash is a separator.
bool take_number(std::string_view& text, int& number) {
  if (text.starts_with('-')) return false;
  auto [next, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return false;
  text.remove_prefix(static_cast<std::size_t>(next - text.data()));
  if (text.starts_with('.')) text.remove_prefix(1);
  return true;
}

// `criu check` prints the reason before its last line, "Does not look good". Returns the first
// error, or the last line if there is none.
std::string reason_in(const std::string& text) {
  std::istringstream lines(text);
  std::string last;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("Error")) return line;
    if (!line.empty()) last = line;
  }
  return last;
}

}  // namespace

std::string to_string(const CriuVersion& version) {
  std::string text = std::to_string(version.major) + "." + std::to_string(version.minor);
  if (version.patch != 0) text += "." + std::to_string(version.patch);
  return text;
}

Result<CriuVersion> parse_criu_version(std::string_view text) {
  std::size_t at = text.find(kVersionLabel);
  CriuVersion version;
  if (at != std::string_view::npos) {
    text.remove_prefix(at + kVersionLabel.size());
    if (take_number(text, version.major) && take_number(text, version.minor)) {
      take_number(text, version.patch);
      return version;
    }
  }
  return fail(ErrorCode::kCorrupt, "`criu --version` printed no version");
}

Result<std::string> find_criu(const std::string& explicit_path,
                              const CriuEnvironment& environment) {
  if (!explicit_path.empty()) {
    if (os::is_executable(explicit_path)) return explicit_path;
    return fail(ErrorCode::kNotFound, "no CRIU at " + explicit_path,
                "statefork doctor --criu PATH");
  }
  if (!environment.binary.empty()) {
    if (os::is_executable(environment.binary)) return environment.binary;
    return fail(ErrorCode::kNotFound, "no CRIU at " + environment.binary + " (from STATEFORK_CRIU)",
                "unset STATEFORK_CRIU");
  }
  std::string prefix = environment.prefix.empty() ? kDefaultCriuPrefix : environment.prefix;
  if (std::string installed = prefix + "/bin/criu"; os::is_executable(installed)) return installed;
  if (auto found = os::find_program("criu", environment.search_path)) return *found;
  return fail(ErrorCode::kNotFound, "no CRIU in " + prefix + " or in PATH", kInstall);
}

Result<std::string> find_criu(const std::string& explicit_path) {
  return find_criu(explicit_path, {.binary = variable("STATEFORK_CRIU"),
                                   .prefix = variable("STATEFORK_CRIU_PREFIX"),
                                   .search_path = variable("PATH")});
}

Result<CriuVersion> criu_version(const std::string& path) {
  SF_TRY_ASSIGN(os::ProgramOutput output,
                os::run_program({path, "--version"}, Deadline::after(seconds(5))));
  if (output.status.shell_code() != 0)
    return fail(ErrorCode::kUnsupported,
                path + " --version " + output.status.text() + ": " + reason_in(output.text),
                kInstall);
  return parse_criu_version(output.text);
}

Status check_criu(const std::string& path, Deadline deadline) {
  return os::probe_with_private_mounts(
      [&]() -> Status {
        SF_TRY_ASSIGN(os::UniqueFd run, os::mount_detached("tmpfs", {}));
        SF_TRY(os::attach_mount(run.get(), "/run"));
        SF_TRY_ASSIGN(os::ProgramOutput output, os::run_program({path, "check"}, deadline));
        if (output.status.shell_code() == 0) return Ok{};
        return fail(ErrorCode::kUnsupported,
                    "criu check " + output.status.text() + ": " + reason_in(output.text));
      },
      deadline);
}

}  // namespace sf::waypoint
