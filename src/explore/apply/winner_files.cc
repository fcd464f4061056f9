#include "explore/apply/winner_files.h"

#include <sys/stat.h>

#include <charconv>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "base/request_limits.h"
#include "base/scope_exit.h"
#include "base/split.h"
#include "explore/apply/host_directory.h"
#include "os/file.h"

namespace sf::explore {

using client::SessionClient;
using wire::Json;

namespace {

// Without set-id bits: on the host these would be those of whoever applies.
constexpr mode_t kPermissions = 0777;
constexpr std::size_t kAtOnce = 200;              // paths in one question
constexpr std::size_t kMaxContent = 512U << 20U;  // of all of them, in memory at once

// "81a4 /srv/file", as the branch's own stat prints it; that may be anybody's.
std::optional<std::pair<std::string, mode_t>> mode_from(std::string_view line) {
  const std::size_t space = line.find(' ');
  if (space == std::string_view::npos) return std::nullopt;
  mode_t mode = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + space, mode, 16);
  if (error != std::errc() || end != line.data() + space) return std::nullopt;
  return std::pair(std::string(line.substr(space + 1)), mode);
}

// Modes as the branch has them; what is not there is not in it.
Result<std::map<std::string, mode_t>> modes_in(const SessionClient& session,
                                               const std::string& branch,
                                               const std::vector<std::string>& paths) {
  std::map<std::string, mode_t> modes;
  for (std::size_t first = 0; first < paths.size(); first += kAtOnce) {
    std::vector<std::string> argv = {"stat", "--printf", "%f %n\\0", "--"};
    for (std::size_t i = first; i < std::min(paths.size(), first + kAtOnce); ++i)
      argv.push_back(paths[i]);
    SF_TRY_ASSIGN(SideObservation seen, session.run(branch, {.argv = argv}));
    for (const std::string& line : split(seen.standard_output, '\0')) {
      if (auto found = mode_from(line)) modes.insert(std::move(*found));
    }
  }
  return modes;
}

Result<MaybeFile> file_in(const SessionClient& session, const std::string& branch,
                          const std::string& path, const std::map<std::string, mode_t>& modes) {
  auto mode = modes.find(path);
  if (mode == modes.end()) return MaybeFile();
  if (S_ISLNK(mode->second)) {
    SF_TRY_ASSIGN(SideObservation seen,
                  session.run(branch, {.argv = {"readlink", "-n", "--", path}}));
    return MaybeFile(FileState{seen.standard_output, 0777, true});
  }
  if (!S_ISREG(mode->second)) return MaybeFile();
  SF_TRY_ASSIGN(std::string content, session.read_file(branch, path));
  return MaybeFile(FileState{std::move(content), mode->second & kPermissions, false});
}

// What the way to a file is blocked by, unless that is removed as well.
Status refuse_obstacles(const HostDirectory& host, std::vector<ApplyStep>& steps) {
  std::set<std::string> removed;
  for (const ApplyStep& step : steps) {
    if (step.kind == ApplyKind::kRemove) removed.insert(step.path);
  }
  for (ApplyStep& step : steps) {
    if (step.kind != ApplyKind::kWrite && step.kind != ApplyKind::kConflict) continue;
    SF_TRY_ASSIGN(std::optional<std::string> obstacle, host.obstacle_above(step.path));
    if (!obstacle || removed.contains(*obstacle)) continue;
    step.kind = ApplyKind::kConflict;
    step.why = *obstacle + " is no directory here, and links are not followed";
  }
  return Ok{};
}

}  // namespace

Result<std::vector<ApplyStep>> plan_apply(const SessionClient& session,
                                          const ApplyRequest& request) {
  SF_TRY_ASSIGN(Json found, session.diff(request.before, request.wanted));
  if (found.value("truncated", false))
    return fail(ErrorCode::kUnsupported, "more files differ than can be listed",
                "copy what you need: statefork cp");
  if (const std::string why = found.value("unproven", ""); !why.empty())
    return fail(ErrorCode::kDiverged,
                "the run's states are not proven to be what they were: " + why,
                "copy what you need: statefork cp");
  const std::string prefix = request.source == "/" ? "/" : request.source + "/";
  std::vector<std::string> paths;
  std::set<std::string> gone;
  for (const Json& each : found.value("differences", Json::array())) {
    const std::string name = each.value("name", "");
    if (each.value("subject", "") != "file" || !name.starts_with(prefix)) continue;
    if (!is_selected(name.substr(prefix.size()), request.patterns)) continue;
    paths.push_back(name);
    if (each.value("kind", "") == "removed") gone.insert(name);
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
  SF_TRY_ASSIGN(HostDirectory host, HostDirectory::open(request.target));
  std::vector<ApplyStep> steps;
  std::size_t content = 0;
  for (const std::string& path : paths) {
    // A state in which stat does not work must not look like one without files.
    if (!gone.contains(path) && !new_modes.contains(path))
      return fail(ErrorCode::kUnsupported, path + " cannot be read in the run's state",
                  "it needs a stat program that works; or copy what you need: statefork cp");
    SF_TRY_ASSIGN(MaybeFile before, file_in(session, old_branch, path, old_modes));
    SF_TRY_ASSIGN(MaybeFile wanted, file_in(session, new_branch, path, new_modes));
    if (!before && !wanted) continue;  // a directory, or what is no file
    const std::string relative = path.substr(prefix.size());
    SF_TRY_ASSIGN(MaybeFile there, host.read(relative, kMaxFileRead));
    for (const MaybeFile* file : {&before, &wanted, &there})
      content += *file ? (*file)->content.size() : 0;
    if (content > kMaxContent)
      return fail(ErrorCode::kNoSpace, "the files that differ are too many or too long",
                  "take some of them at a time: --path PATTERN");
    steps.push_back(decide(relative, std::move(before), std::move(wanted), std::move(there)));
  }
  SF_TRY(refuse_obstacles(host, steps));
  return steps;
}

Status apply_steps(const std::vector<ApplyStep>& steps, const std::string& target, bool force) {
  SF_TRY(os::make_directories(target, 0755));
  SF_TRY_ASSIGN(HostDirectory host, HostDirectory::open(target));
  auto does = [&](const ApplyStep& step) {
    return step.kind == ApplyKind::kWrite || step.kind == ApplyKind::kRemove ||
           (force && step.kind == ApplyKind::kConflict);
  };
  // What goes makes room for what comes: a file for a directory of its name.
  for (const ApplyStep& step : steps) {
    if (does(step) && !step.wanted) SF_TRY(host.remove(step.path));
  }
  for (const ApplyStep& step : steps) {
    if (does(step) && step.wanted) SF_TRY(host.write(step.path, *step.wanted));
  }
  return Ok{};
}

}  // namespace sf::explore
