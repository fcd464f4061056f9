#include "explore/tasks/upload.h"

#include <sys/stat.h>

#include <functional>
#include <set>

#include "base/digest.h"
#include "explore/tasks/shell_words.h"
#include "os/error.h"
#include "os/file.h"

namespace sf::explore {

using client::SessionClient;

namespace {

constexpr auto kPatience = seconds(120);
constexpr std::size_t kMaxOutput = 4096;
constexpr mode_t kModeBits = 07777;

std::string parent_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos || slash == 0 ? "/" : path.substr(0, slash);
}

Status add(UploadPlan& plan, const std::string& from, const std::string& to) {
  struct stat info {};
  if (::lstat(from.c_str(), &info) != 0) return os::last_error("reading " + from);
  if (S_ISREG(info.st_mode)) {
    plan.files.push_back({from, to, info.st_mode & kModeBits, ""});
    return Ok{};
  }
  if (S_ISLNK(info.st_mode)) {
    SF_TRY_ASSIGN(std::string target, os::read_link(from));
    plan.links.push_back({std::move(target), to});
    return Ok{};
  }
  if (!S_ISDIR(info.st_mode))
    return invalid(from + " is neither a file, a directory nor a link", "leave it out");
  plan.directories.push_back(to);
  SF_TRY_ASSIGN(std::vector<std::string> names, os::list_directory(from));
  const std::string inside = to == "/" ? to : to + "/";
  for (const std::string& name : names) SF_TRY(add(plan, from + "/" + name, inside + name));
  return Ok{};
}

Result<std::string> bytes_of(const UploadPlan::File& file) {
  if (file.from.empty()) return file.content;
  return os::read_file(file.from);
}

Status send(const SessionClient& session, const std::string& branch, const UploadPlan& plan,
            const std::function<Status(const std::string&)>& run) {
  SF_TRY(run(commands_before(plan)));
  for (const UploadPlan::File& file : plan.files) {
    SF_TRY_ASSIGN(std::string bytes, bytes_of(file));
    SF_TRY(session.write_file(branch, file.to, std::move(bytes)));
  }
  return run(commands_after(plan));
}

Status check(int exit_code, const std::string& said) {
  if (exit_code == 0) return Ok{};
  return fail(ErrorCode::kOs, "files could not be copied into the session: " + said);
}

}  // namespace

Result<UploadPlan> plan_upload(const std::vector<Upload>& uploads) {
  UploadPlan plan;
  for (const Upload& upload : uploads) {
    plan.directories.push_back(parent_of(upload.to));
    SF_TRY(add(plan, upload.from, upload.to));
  }
  return plan;
}

Result<std::string> digest_of(const UploadPlan& plan) {
  Digest digest;
  for (const std::string& directory : plan.directories) digest.add("d").add(directory);
  for (const UploadPlan::File& file : plan.files) {
    SF_TRY_ASSIGN(std::string bytes, bytes_of(file));
    digest.add("f").add(file.to).add(std::to_string(file.mode)).add(bytes);
  }
  for (const UploadPlan::Link& link : plan.links) digest.add("l").add(link.to).add(link.target);
  return digest.hex();
}

std::string commands_before(const UploadPlan& plan) {
  std::set<std::string> seen;
  std::string text;
  for (const std::string& directory : plan.directories) {
    if (directory != "/" && seen.insert(directory).second) text += " " + quoted(directory);
  }
  return text.empty() ? "" : "mkdir -p --" + text;
}

std::string commands_after(const UploadPlan& plan) {
  std::string text;
  auto add_command = [&](const std::string& command) {
    text += (text.empty() ? "" : " && ") + command;
  };
  for (const UploadPlan::File& file : plan.files) {
    char mode[8];
    std::snprintf(mode, sizeof mode, "%04o", static_cast<unsigned>(file.mode));
    add_command(std::string("chmod ") + mode + " -- " + quoted(file.to));
  }
  for (const UploadPlan::Link& link : plan.links)
    add_command("ln -sfn -- " + quoted(link.target) + " " + quoted(link.to));
  return text;
}

Status send_in_shell(const SessionClient& session, const std::string& branch,
                     const UploadPlan& plan) {
  return send(session, branch, plan, [&](const std::string& commands) -> Status {
    if (commands.empty()) return Ok{};
    SF_TRY_ASSIGN(client::CommandSeen seen, session.exec(branch, commands, kPatience, kMaxOutput));
    return check(seen.exit_code, seen.output);
  });
}

Status send_beside(const SessionClient& session, const std::string& branch,
                   const UploadPlan& plan) {
  return send(session, branch, plan, [&](const std::string& commands) -> Status {
    if (commands.empty()) return Ok{};
    SF_TRY_ASSIGN(client::ProgramSeen seen,
                  session.run(branch, {.argv = {"/bin/sh", "-c", commands}, .timeout = kPatience}));
    return check(seen.exit_code, seen.standard_error);
  });
}

}  // namespace sf::explore
