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

// No set-id bits: they would apply to the user of `apply` on the host.
constexpr mode_t kPermissions = 0777;
constexpr std::size_t kAtOnce = 200;              // paths per call
constexpr std::size_t kMaxContent = 512U << 20U;  // of all files together, in memory

// A line of the branch's stat: "81a4 /srv/file". The output is not trusted.
std::optional<std::pair<std::string, mode_t>> mode_from(std::string_view line) {
  const std::size_t space = line.find(' ');
  if (space == std::string_view::npos) return std::nullopt;
  mode_t mode = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + space, mode, 16);
  if (error != std::errc() || end != line.data() + space) return std::nullopt;
  return std::pair(std::string(line.substr(space + 1)), mode);
}

// Modes of the paths in the branch. Paths that do not exist are left out.
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

// Turns a step into a conflict if a component above its path is not a directory, unless a step
// removes that component.
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
    step.why = *obstacle + " is not a directory here, and links are not followed";
  }
  return Ok{};
}

}  // namespace

Result<std::vector<ApplyStep>> plan_apply(const SessionClient& session,
                                          const ApplyRequest& request) {
  SF_TRY_ASSIGN(Json found, session.diff(request.before, request.wanted));
  if (found.value("truncated", false))
    return fail(ErrorCode::kUnsupported, "too many files differ to list them all",
                "copy the files you need with `statefork cp`");
  if (const std::string why = found.value("unproven", ""); !why.empty())
    return fail(ErrorCode::kDiverged, "the run's states may differ from the original ones: " + why,
                "copy the files you need with `statefork cp`");
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
  SF_TRY(session.end_branch(old_branch));  // left by a call that was killed
  SF_TRY(session.end_branch(new_branch));
  SF_TRY(session.fork(request.before, old_branch));
  SF_TRY(session.fork(request.wanted, new_branch));
  SF_TRY_ASSIGN(auto old_modes, modes_in(session, old_branch, paths));
  SF_TRY_ASSIGN(auto new_modes, modes_in(session, new_branch, paths));
  SF_TRY_ASSIGN(HostDirectory host, HostDirectory::open(request.target));
  std::vector<ApplyStep> steps;
  std::size_t content = 0;
  for (const std::string& path : paths) {
    // If stat fails in a state, its files must not count as removed.
    if (!gone.contains(path) && !new_modes.contains(path))
      return fail(ErrorCode::kUnsupported, "cannot read " + path + " in the run's state",
                  "it needs `stat`; or copy the files you need with `statefork cp`");
    SF_TRY_ASSIGN(MaybeFile before, file_in(session, old_branch, path, old_modes));
    SF_TRY_ASSIGN(MaybeFile wanted, file_in(session, new_branch, path, new_modes));
    if (!before && !wanted) continue;  // a directory or a special file
    const std::string relative = path.substr(prefix.size());
    SF_TRY_ASSIGN(MaybeFile there, host.read(relative, kMaxFileRead));
    for (const MaybeFile* file : {&before, &wanted, &there})
      content += *file ? (*file)->content.size() : 0;
    if (content > kMaxContent)
      return fail(ErrorCode::kNoSpace, "the changed files are too large in total",
                  "apply a part of them at a time: --path PATTERN");
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
  // Removals come first: a file may replace a directory of the same name.
  for (const ApplyStep& step : steps) {
    if (does(step) && !step.wanted) SF_TRY(host.remove(step.path));
  }
  for (const ApplyStep& step : steps) {
    if (does(step) && step.wanted) SF_TRY(host.write(step.path, *step.wanted));
  }
  return Ok{};
}

}  // namespace sf::explore
