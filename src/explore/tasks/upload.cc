#include "explore/tasks/upload.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <functional>
#include <set>

#include "base/digest.h"
#include "base/shell_words.h"
#include "os/error.h"
#include "os/file.h"

namespace sf::explore {

using client::SessionClient;

namespace {

constexpr auto kTimeout = seconds(120);
constexpr std::size_t kShownOutput = 4096;
constexpr mode_t kModeBits = 07777;
constexpr std::size_t kMaxPart = 8U << 20U;

std::string parent_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos || slash == 0 ? "/" : path.substr(0, slash);
}

Status add(UploadPlan& plan, const std::string& from, const std::string& to,
           const UploadFilter& takes) {
  struct stat info {};
  if (::lstat(from.c_str(), &info) != 0) return os::last_error("reading " + from);
  const bool is_taken = !takes || takes(from);
  if (!S_ISDIR(info.st_mode) && !is_taken) return Ok{};
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
    return invalid(from + " is neither a file, a directory nor a link", "remove it");
  auto size = [&] { return plan.directories.size() + plan.files.size() + plan.links.size(); };
  plan.directories.push_back(to);
  const std::size_t before = size();
  SF_TRY_ASSIGN(std::vector<std::string> names, os::list_directory(from));
  const std::string inside = to == "/" ? to : to + "/";
  for (const std::string& name : names) SF_TRY(add(plan, from + "/" + name, inside + name, takes));
  if (!is_taken && size() == before) plan.directories.pop_back();
  return Ok{};
}

// Splits the content into parts that fit one request. An empty file has one part.
Status for_each_part(const UploadPlan::File& file, const Stopping& stopping,
                     const std::function<Status(std::string part, bool is_first)>& take) {
  if (stopping()) return stopped();
  if (file.from.empty()) return take(file.content, true);
  SF_TRY_ASSIGN(os::UniqueFd fd, os::open_file(file.from, O_RDONLY));
  for (bool is_first = true;; is_first = false) {
    if (stopping()) return stopped();
    std::string part;
    SF_TRY_ASSIGN(const bool goes_on, os::read_available(fd.get(), part, kMaxPart));
    if (!part.empty() || is_first) SF_TRY(take(std::move(part), is_first));
    if (!goes_on) return Ok{};
  }
}

using Run = std::function<Status(const std::string& commands)>;

Status send_file(const SessionClient& session, const std::string& branch,
                 const UploadPlan::File& file, const Run& run, const Stopping& stopping) {
  const std::string aside = file.to + ".statefork-part";
  return for_each_part(file, stopping, [&](std::string part, bool is_first) -> Status {
    if (is_first) return session.write_file(branch, file.to, std::move(part));
    SF_TRY(session.write_file(branch, aside, std::move(part)));
    return run("cat -- " + shell_word(aside) + " >>" + shell_word(file.to) + " && rm -- " +
               shell_word(aside));
  });
}

Status send(const SessionClient& session, const std::string& branch, const UploadPlan& plan,
            const Run& run, const Stopping& stopping) {
  SF_TRY(run(commands_before(plan)));
  for (const UploadPlan::File& file : plan.files)
    SF_TRY(send_file(session, branch, file, run, stopping));
  return run(commands_after(plan));
}

Status check(int exit_code, const std::string& said) {
  if (exit_code == 0) return Ok{};
  return fail(ErrorCode::kOs, "cannot copy files into the session: " + said);
}

}  // namespace

Result<UploadPlan> plan_upload(const std::vector<Upload>& uploads, const UploadFilter& takes) {
  UploadPlan plan;
  for (const Upload& upload : uploads) {
    plan.directories.push_back(parent_of(upload.to));
    SF_TRY(add(plan, upload.from, upload.to, takes));
  }
  return plan;
}

Result<std::string> digest_of(const UploadPlan& plan, const Stopping& stopping) {
  Digest digest;
  for (const std::string& directory : plan.directories) digest.add("d").add(directory);
  for (const UploadPlan::File& file : plan.files) {
    digest.add("f").add(file.to).add(std::to_string(file.mode));
    SF_TRY(for_each_part(file, stopping, [&](const std::string& part, bool) -> Status {
      digest.add(part);
      return Ok{};
    }));
  }
  for (const UploadPlan::Link& link : plan.links) digest.add("l").add(link.to).add(link.target);
  return digest.hex();
}

std::string commands_before(const UploadPlan& plan) {
  std::set<std::string> seen;
  std::string text;
  for (const std::string& directory : plan.directories) {
    if (directory != "/" && seen.insert(directory).second) text += " " + shell_word(directory);
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
    add_command(std::string("chmod ") + mode + " -- " + shell_word(file.to));
  }
  for (const UploadPlan::Link& link : plan.links)
    add_command("ln -sfn -- " + shell_word(link.target) + " " + shell_word(link.to));
  return text;
}

Status send_in_shell(const SessionClient& session, const std::string& branch,
                     const UploadPlan& plan, const Stopping& stopping) {
  auto run = [&](const std::string& commands) -> Status {
    if (commands.empty()) return Ok{};
    SF_TRY_ASSIGN(
        std::optional<Observation> seen,
        session.exec_until(branch,
                           {.command = commands, .timeout = kTimeout, .max_output = kShownOutput},
                           stopping));
    return seen ? check(seen->exit_code, seen->output) : stopped();
  };
  return send(session, branch, plan, run, stopping);
}

Status send_beside(const SessionClient& session, const std::string& branch,
                   const UploadPlan& plan) {
  auto run = [&](const std::string& commands) -> Status {
    if (commands.empty()) return Ok{};
    SF_TRY_ASSIGN(SideObservation seen,
                  session.run(branch, {.argv = {"/bin/sh", "-c", commands}, .timeout = kTimeout}));
    return check(seen.exit_code, seen.standard_error);
  };
  return send(session, branch, plan, run, [] { return false; });
}

}  // namespace sf::explore
