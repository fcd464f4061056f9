#include "explore/tasks/copy_step.h"

#include <glob.h>

#include <algorithm>

#include "base/scope_exit.h"
#include "explore/tasks/shell_words.h"
#include "os/file.h"

namespace sf::explore {
namespace {

// A single file goes to a directory's path as that file, unless the directory is there: only inside
// can one know. So it is put aside and moved.
constexpr const char* kAside = "/tmp/.statefork-copy";

std::string base_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

std::string without_end(std::string path) {
  while (path.size() > 1 && path.ends_with("/")) path.pop_back();
  return path;
}

bool is_archive(const std::string& name) {
  constexpr const char* kEnds[] = {".tar", ".tar.gz", ".tgz", ".tar.xz", ".tar.bz2", ".tar.zst"};
  return std::ranges::any_of(kEnds, [&](const char* end) { return name.ends_with(end); });
}

Result<std::vector<std::string>> matches(const std::string& pattern, const std::string& context) {
  std::string clean = pattern;
  while (clean.starts_with("./") || clean.starts_with("/"))
    clean.erase(0, clean.starts_with("/") ? 1 : 2);
  if (clean.empty() || clean == ".") return std::vector<std::string>{context};
  glob_t found{};
  ScopeExit free([&] { ::globfree(&found); });
  const std::string whole = context + "/" + clean;
  if (::glob(whole.c_str(), GLOB_PERIOD, nullptr, &found) != 0 || found.gl_pathc == 0)
    return invalid("there is no " + pattern + " in " + context);
  std::vector<std::string> paths;
  for (std::size_t i = 0; i < found.gl_pathc; ++i) {
    const std::string path = without_end(found.gl_pathv[i]);
    const std::string name = base_name(path);
    if (name == "." || name == "..") continue;
    SF_TRY_ASSIGN(std::string real, os::real_path(path.substr(0, path.rfind('/'))));
    if (real != context && !real.starts_with(context + "/"))
      return invalid(pattern + " is outside of " + context, "copy it into the task's directory");
    paths.push_back(path);
  }
  return paths;
}

void append(std::string& commands, const std::string& command) {
  commands += (commands.empty() ? "" : " && ") + command;
}

}  // namespace

Result<CopyPlan> plan_copy(const BuildStep& step, const std::string& given) {
  SF_TRY_ASSIGN(std::string context, os::real_path(given));
  const std::string target = without_end(step.target);
  CopyPlan plan;
  std::vector<Upload> uploads;
  std::vector<std::string> made;
  for (const CopySource& source : step.sources) {
    if (source.from.empty()) {
      const std::string to = step.into_directory ? target + "/" + source.name : target;
      plan.upload.directories.push_back(to.substr(0, std::max<std::size_t>(to.rfind('/'), 1)));
      plan.upload.files.push_back({"", to, 0644, source.content});
      made.push_back(to);
      continue;
    }
    SF_TRY_ASSIGN(std::vector<std::string> paths, matches(source.from, context));
    const bool is_one_file =
        paths.size() == 1 && step.sources.size() == 1 && !os::is_directory(paths.front());
    for (const std::string& path : paths) {
      if (step.unpacks && is_archive(path)) {
        const std::string aside = std::string(kAside) + "/" + base_name(path);
        uploads.push_back({path, aside});
        append(plan.command, "mkdir -p -- " + quoted(target) + " && tar -C " + quoted(target) +
                                 " -xf " + quoted(aside));
      } else if (os::is_directory(path)) {
        uploads.push_back({path, target});  // its contents, not itself
        made.push_back(target);
      } else if (is_one_file && !step.into_directory) {
        const std::string aside = std::string(kAside) + "/" + base_name(path);
        uploads.push_back({path, aside});
        append(plan.command, "mkdir -p -- \"$(dirname -- " + quoted(target) + ")\" && mv -f -- " +
                                 quoted(aside) + " " + quoted(target));
        // A directory has taken it in under its own name.
        made.push_back(target);
      } else {
        uploads.push_back({path, target + "/" + base_name(path)});
        made.push_back(target + "/" + base_name(path));
      }
    }
  }
  SF_TRY_ASSIGN(UploadPlan files, plan_upload(uploads));
  for (std::string& directory : files.directories)
    plan.upload.directories.push_back(std::move(directory));
  for (UploadPlan::File& file : files.files) plan.upload.files.push_back(std::move(file));
  plan.upload.links = std::move(files.links);
  const bool put_aside = std::ranges::any_of(
      uploads, [](const Upload& upload) { return upload.to.starts_with(kAside); });
  for (const std::string& path : made) {
    if (!step.chown.empty())
      append(plan.command, "chown -R " + quoted(step.chown) + " -- " + quoted(path));
    if (!step.chmod.empty())
      append(plan.command, "chmod -R " + quoted(step.chmod) + " -- " + quoted(path));
  }
  if (put_aside) append(plan.command, std::string("rm -rf ") + kAside);
  return plan;
}

}  // namespace sf::explore
