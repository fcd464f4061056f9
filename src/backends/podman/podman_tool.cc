#include "backends/podman/podman_tool.h"

#include "backends/hosted/tool_search.h"
#include "base/shell_words.h"
#include "base/split.h"
#include "engine/criu/criu_binary.h"
#include "os/file.h"
#include "os/run_program.h"

namespace sf::backends {
namespace {

constexpr auto kTimeout = std::chrono::minutes(10);  // commits of large files are slow
constexpr auto kQuestionTime = seconds(30);

// The last line with an error; the lines before it do not help.
std::string complaint(const std::string& errors) {
  std::string last = "it gave no reason";
  for (const std::string& line : split(errors, '\n')) {
    if (!line.empty()) last = line;
  }
  return last.starts_with("Error: ") ? last.substr(7) : last;
}

// The first error in the log file that runc names: the reason of CRIU's failure. Empty if there is
// none.
std::string criu_complaint(const std::string& errors) {
  constexpr std::string_view kMark = "log file: ";
  std::size_t at = errors.find(kMark);
  if (at == std::string::npos) return {};
  at += kMark.size();
  auto log = os::read_file(errors.substr(at, errors.find_first_of("\"\n", at) - at));
  if (!log) return {};
  std::string first;
  for (const std::string& line : split(*log, '\n')) {
    // "(00.38) Error (criu/cr-dump.c:391): Can't get rlimit 0: Operation not permitted"
    if (line.find(" Error (") == std::string::npos) continue;
    std::size_t text = line.find("): ");
    first = "CRIU: " + (text == std::string::npos ? line : line.substr(text + 3));
    // CRIU does not need to raise its own limit, so this error is not the reason.
    if (line.find("RLIMIT_NOFILE for self") == std::string::npos) break;
  }
  return first;
}

Error failure(const std::string& command, const std::string& errors) {
  const std::string criu = criu_complaint(errors);
  const std::string said = criu.empty() ? complaint(errors) : criu;
  auto has = [&](const char* words) { return errors.find(words) != std::string::npos; };
  if (has("no such container") || has("no container with name"))
    return fail(ErrorCode::kNotFound, "podman " + command + ": " + said);
  if (has("image not known") || has("no such image"))
    return fail(ErrorCode::kNotFound, "podman " + command + ": " + said,
                "fetch the image first: podman pull IMAGE");
  if (has("image is in use") || has("has dependent child") || has("image used by"))
    return fail(ErrorCode::kBusy, "podman " + command + ": " + said);
  if (has("no space left")) return fail(ErrorCode::kNoSpace, "podman " + command + ": " + said);
  if (has("CRIU") || has("criu"))
    return fail(ErrorCode::kUnsupported, "podman " + command + ": " + said,
                "something in the container cannot be captured by CRIU; the waypoint backend names "
                "it");
  return fail(ErrorCode::kOs, "podman " + command + ": " + said);
}

}  // namespace

Result<PodmanTool> PodmanTool::find(const std::string& config, const std::string& storage_config) {
  PodmanTool tool;
  SF_TRY_ASSIGN(tool.program_, find_program("podman", "apt-get install podman runc"));
  tool.path_ = kProgramPath;
  if (auto criu = waypoint::find_criu("")) {
    tool.criu_ = *criu;
    tool.path_ = criu->substr(0, criu->rfind('/')) + ":" + tool.path_;
  }
  tool.env_ = {"HOME=/root"};
  if (!config.empty()) tool.env_.push_back("CONTAINERS_CONF=" + config);
  if (!storage_config.empty()) tool.env_.push_back("CONTAINERS_STORAGE_CONF=" + storage_config);
  return tool;
}

Status PodmanTool::preload_into_criu(const std::string& library, const std::string& directory) {
  constexpr mode_t kProgram = 0700;
  SF_TRY(os::make_directories(directory));
  SF_TRY(os::publish_file(
      directory + "/criu",
      "#!/bin/sh\nLD_PRELOAD=" + shell_word(library) + " exec " + shell_word(criu_) + " \"$@\"\n",
      kProgram));
  path_ = directory + ":" + path_;
  return Ok{};
}

Result<std::string> PodmanTool::ask(std::vector<std::string> arguments) const {
  return run_until(Deadline::after(kQuestionTime), std::move(arguments));
}

Result<std::string> PodmanTool::run(std::vector<std::string> arguments) const {
  return run_until(Deadline::after(kTimeout), std::move(arguments));
}

Result<std::string> PodmanTool::run_whole(std::vector<std::string> arguments) const {
  return run_until(Deadline::after(kTimeout), std::move(arguments), true);
}

Result<std::string> PodmanTool::run_until(Deadline deadline, std::vector<std::string> arguments,
                                          bool outlives_caller) const {
  std::string command;
  for (const std::string& word : arguments) {
    if (word.starts_with("--") || word.starts_with("/")) continue;
    command += (command.empty() ? "" : " ") + word;
    if (word != "container" && word != "image") break;
  }
  // runc, because Debian's crun lacks CRIU support; cgroupfs, because systemd may not run.
  arguments.insert(arguments.begin(),
                   {program_, "--runtime", "runc", "--cgroup-manager", "cgroupfs"});
  std::vector<std::string> env = env_;
  env.push_back("PATH=" + path_);
  SF_TRY_ASSIGN(
      os::ProgramOutput done,
      os::run_program(arguments, deadline,
                      {.env = env, .errors_apart = true, .outlives_caller = outlives_caller}));
  if (done.succeeded()) return std::move(done.text);
  return failure(command, done.errors);
}

}  // namespace sf::backends
