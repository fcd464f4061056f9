#include "explore/tasks/copy_step.h"

#include <glob.h>

#include <algorithm>

#include "base/scope_exit.h"
#include "base/shell_words.h"
#include "os/file.h"

namespace sf::explore {
namespace {

// Where a single file is uploaded before it is moved. Only a command in the session can tell
// whether the target is a directory, in which case the file goes into it.
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

// True if no ignore rule matches the path.
bool is_visible(const std::string& path, const std::string& context, const IgnoreRules& ignored) {
  return path == context || !ignored.ignores(std::string_view(path).substr(context.size() + 1));
}

Result<std::vector<std::string>> matches(const std::string& pattern, const std::string& context,
                                         const IgnoreRules& ignored) {
  std::string clean = pattern;
  while (clean.starts_with("./") || clean.starts_with("/"))
    clean.erase(0, clean.starts_with("/") ? 1 : 2);
  if (clean.empty() || clean == ".") return std::vector<std::string>{context};
  glob_t found{};
  ScopeExit free([&] { ::globfree(&found); });
  const std::string whole = context + "/" + clean;
  if (::glob(whole.c_str(), GLOB_PERIOD, nullptr, &found) != 0 || found.gl_pathc == 0)
    return invalid("no file matches " + pattern + " in " + context);
  std::vector<std::string> paths;
  for (std::size_t i = 0; i < found.gl_pathc; ++i) {
    const std::string path = without_end(found.gl_pathv[i]);
    const std::string name = base_name(path);
    if (name == "." || name == "..") continue;
    SF_TRY_ASSIGN(std::string real, os::real_path(path.substr(0, path.rfind('/'))));
    if (!(real + "/").starts_with(context + "/"))
      return invalid(pattern + " is outside of " + context, "copy it into the task's directory");
    // Keep ignored directories: a later rule may re-include files below them.
    if (os::is_directory(path) || is_visible(path, context, ignored)) paths.push_back(path);
  }
  if (paths.empty())
    return invalid("no file matches " + pattern + " in " + context, "check .dockerignore");
  return paths;
}

void append(std::string& commands, const std::string& command) {
  commands += (commands.empty() ? "" : " && ") + command;
}

// Commands that set owner and mode of one file, link or directory, not recursively.
std::string settings_for(const BuildStep& step, const std::string& word) {
  std::string commands;
  if (!step.chown.empty()) append(commands, "chown -h " + shell_word(step.chown) + " -- " + word);
  if (!step.chmod.empty()) append(commands, "chmod " + shell_word(step.chmod) + " -- " + word);
  return commands;
}

// Moves the file to the target, or into it if the target is a directory. A subshell keeps the
// variable out of the agent's shell.
std::string move_command(const BuildStep& step, const std::string& aside,
                         const std::string& target) {
  std::string commands = "mkdir -p -- \"$(dirname -- \"$to\")\"";
  append(commands, "mv -f -- " + shell_word(aside) + " \"$to\"");
  if (const std::string settings = settings_for(step, "\"$to\""); !settings.empty())
    append(commands, settings);
  return "( to=" + shell_word(target) + "; if test -d \"$to\"; then to=$to/" +
         shell_word(base_name(aside)) + "; fi; " + commands + " )";
}

bool is_aside(const std::string& path) { return path.starts_with(std::string(kAside) + "/"); }

// Sets owner and mode of all uploaded files and of the directories that the step names or creates.
void append_settings(const BuildStep& step, const UploadPlan& upload, const std::string& target,
                     std::string& commands) {
  if (step.chown.empty() && step.chmod.empty()) return;
  std::vector<std::string> paths;
  for (const std::string& directory : upload.directories) {
    if (directory == target || directory.starts_with(target + "/")) paths.push_back(directory);
  }
  for (const UploadPlan::File& file : upload.files) paths.push_back(file.to);
  for (const std::string& path : paths) {
    if (!is_aside(path) && path != "/") append(commands, settings_for(step, shell_word(path)));
  }
  if (step.chown.empty()) return;  // links have no modes
  for (const UploadPlan::Link& link : upload.links) {
    if (!is_aside(link.to))
      append(commands, "chown -h " + shell_word(step.chown) + " -- " + shell_word(link.to));
  }
}

}  // namespace

Result<CopyPlan> plan_copy(const BuildStep& step, const std::string& given,
                           const IgnoreRules& ignored) {
  SF_TRY_ASSIGN(std::string context, os::real_path(given));
  const std::string target = without_end(step.target);
  const std::string inside = target == "/" ? "/" : target + "/";
  CopyPlan plan;
  std::vector<Upload> uploads;
  for (const CopySource& source : step.sources) {
    if (source.from.empty()) {
      const std::string to = step.into_directory ? inside + source.name : target;
      plan.upload.directories.push_back(to.substr(0, std::max<std::size_t>(to.rfind('/'), 1)));
      plan.upload.files.push_back({"", to, 0644, source.content});
      continue;
    }
    SF_TRY_ASSIGN(std::vector<std::string> paths, matches(source.from, context, ignored));
    const bool is_one_file =
        paths.size() == 1 && step.sources.size() == 1 && !os::is_directory(paths.front());
    for (const std::string& path : paths) {
      const std::string aside = std::string(kAside) + "/" + base_name(path);
      if (step.unpacks && is_archive(path)) {
        uploads.push_back({path, aside});
        append(plan.command, "mkdir -p -- " + shell_word(target) + " && tar -C " +
                                 shell_word(target) + " -xf " + shell_word(aside));
      } else if (os::is_directory(path)) {
        uploads.push_back({path, target});  // the contents of the directory
      } else if (is_one_file && !step.into_directory) {
        uploads.push_back({path, aside});
        append(plan.command, move_command(step, aside, target));
      } else {
        uploads.push_back({path, inside + base_name(path)});
      }
    }
  }
  SF_TRY_ASSIGN(UploadPlan files, plan_upload(uploads, [&](const std::string& path) {
                  return is_visible(path, context, ignored);
                }));
  for (std::string& directory : files.directories)
    plan.upload.directories.push_back(std::move(directory));
  for (UploadPlan::File& file : files.files) plan.upload.files.push_back(std::move(file));
  plan.upload.links = std::move(files.links);
  append_settings(step, plan.upload, target, plan.command);
  if (std::ranges::any_of(uploads, [](const Upload& upload) { return is_aside(upload.to); }))
    append(plan.command, std::string("rm -rf ") + kAside);
  return plan;
}

}  // namespace sf::explore
