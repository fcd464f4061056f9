#include "explore/apply/winner_files.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <map>
#include <nlohmann/json.hpp>

#include "base/scope_exit.h"
#include "base/split.h"
#include "os/error.h"
#include "os/file.h"

namespace sf::explore {

using client::SessionClient;
using wire::Json;

namespace {

constexpr mode_t kPermissions = 07777;
constexpr std::size_t kAtOnce = 200;  // paths in one question
constexpr std::size_t kMaxFile = 64U << 20U;

// Modes as the branch has them; what is not there is not in it.
Result<std::map<std::string, mode_t>> modes_in(const SessionClient& session,
                                               const std::string& branch,
                                               const std::vector<std::string>& paths) {
  std::map<std::string, mode_t> modes;
  for (std::size_t first = 0; first < paths.size(); first += kAtOnce) {
    std::vector<std::string> argv = {"stat", "--printf", "%f %n\\0", "--"};
    for (std::size_t i = first; i < std::min(paths.size(), first + kAtOnce); ++i)
      argv.push_back(paths[i]);
    SF_TRY_ASSIGN(client::ProgramSeen seen, session.run(branch, {.argv = argv}));
    for (const std::string& line : split(seen.standard_output, '\0')) {
      const std::size_t space = line.find(' ');
      if (space == std::string::npos) continue;
      modes[line.substr(space + 1)] =
          static_cast<mode_t>(std::stoul(line.substr(0, space), nullptr, 16));
    }
  }
  return modes;
}

Result<MaybeFile> file_in(const SessionClient& session, const std::string& branch,
                          const std::string& path, const std::map<std::string, mode_t>& modes) {
  auto mode = modes.find(path);
  if (mode == modes.end()) return MaybeFile();
  if (S_ISLNK(mode->second)) {
    SF_TRY_ASSIGN(client::ProgramSeen seen,
                  session.run(branch, {.argv = {"readlink", "-n", "--", path}}));
    return MaybeFile(FileState{seen.standard_output, 0777, true});
  }
  if (!S_ISREG(mode->second)) return MaybeFile();
  SF_TRY_ASSIGN(std::string content, session.read_file(branch, path));
  return MaybeFile(FileState{std::move(content), mode->second & kPermissions, false});
}

Result<MaybeFile> host_file(const std::string& path) {
  struct stat info {};
  if (::lstat(path.c_str(), &info) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) return MaybeFile();
    return os::last_error("reading " + path);
  }
  if (S_ISLNK(info.st_mode)) {
    SF_TRY_ASSIGN(std::string target, os::read_link(path));
    return MaybeFile(FileState{std::move(target), 0777, true});
  }
  if (!S_ISREG(info.st_mode)) return invalid(path + " is no file", "move it out of the way");
  SF_TRY_ASSIGN(std::string content, os::read_file(path, kMaxFile));
  return MaybeFile(FileState{std::move(content), info.st_mode & kPermissions, false});
}

// Written beside and renamed, so that no reader sees half a file.
Status write_host(const std::string& path, const FileState& wanted) {
  SF_TRY(os::make_directories(path.substr(0, path.rfind('/')), 0755));
  const std::string draft = path + ".statefork-draft";
  (void)::unlink(draft.c_str());
  if (wanted.is_link) {
    if (::symlink(wanted.content.c_str(), draft.c_str()) != 0)
      return os::last_error("linking " + path);
  } else {
    SF_TRY(os::write_file(draft, wanted.content, wanted.mode));
    if (::chmod(draft.c_str(), wanted.mode) != 0) return os::last_error("setting modes of " + path);
  }
  return os::rename_path(draft, path);
}

}  // namespace

Result<std::vector<ApplyStep>> plan_apply(const SessionClient& session,
                                          const ApplyRequest& request) {
  SF_TRY_ASSIGN(Json found, session.diff(request.before, request.wanted));
  if (found.value("truncated", false))
    return fail(ErrorCode::kUnsupported, "more files differ than can be listed",
                "copy what you need: statefork cp");
  const std::string prefix = request.source == "/" ? "/" : request.source + "/";
  std::vector<std::string> paths;
  for (const Json& each : found.value("differences", Json::array())) {
    const std::string name = each.value("name", "");
    if (each.value("subject", "") != "file" || !name.starts_with(prefix)) continue;
    if (is_selected(name.substr(prefix.size()), request.patterns)) paths.push_back(name);
  }
  const std::string old_branch = request.run + "-apply-before";
  const std::string new_branch = request.run + "-apply-wanted";
  ScopeExit end([&] {
    (void)session.end_branch(old_branch);
    (void)session.end_branch(new_branch);
  });
  SF_TRY(session.end_branch(old_branch));  // of somebody who was killed
  SF_TRY(session.end_branch(new_branch));
  SF_TRY(session.fork(request.before, old_branch));
  SF_TRY(session.fork(request.wanted, new_branch));
  SF_TRY_ASSIGN(auto old_modes, modes_in(session, old_branch, paths));
  SF_TRY_ASSIGN(auto new_modes, modes_in(session, new_branch, paths));
  std::vector<ApplyStep> steps;
  for (const std::string& path : paths) {
    SF_TRY_ASSIGN(MaybeFile before, file_in(session, old_branch, path, old_modes));
    SF_TRY_ASSIGN(MaybeFile wanted, file_in(session, new_branch, path, new_modes));
    if (!before && !wanted) continue;  // a directory, or what is no file
    const std::string relative = path.substr(prefix.size());
    SF_TRY_ASSIGN(MaybeFile host, host_file(request.target + "/" + relative));
    steps.push_back(decide(relative, std::move(before), std::move(wanted), std::move(host)));
  }
  return steps;
}

Status apply_steps(const std::vector<ApplyStep>& steps, const std::string& target, bool force) {
  for (const ApplyStep& step : steps) {
    const bool does = step.kind == ApplyKind::kWrite || step.kind == ApplyKind::kRemove ||
                      (force && step.kind == ApplyKind::kConflict);
    if (!does) continue;
    const std::string path = target + "/" + step.path;
    if (step.wanted) {
      SF_TRY(write_host(path, *step.wanted));
    } else if (::unlink(path.c_str()) != 0 && errno != ENOENT) {
      return os::last_error("removing " + path);
    }
  }
  return Ok{};
}

}  // namespace sf::explore
