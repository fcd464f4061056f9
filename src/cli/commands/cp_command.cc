#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <iostream>
#include <nlohmann/json.hpp>

#include "base/request_limits.h"
#include "base/scope_exit.h"
#include "cli/commands/command_frame.h"
#include "cli/commands/copy_location.h"
#include "cli/commands/standard_input.h"
#include "cli/commands/subcommands.h"
#include "os/error.h"
#include "os/file.h"

namespace sf::cli {
namespace {

constexpr const char* kSplitHint =
    "split it: `split -b 16M FILE FILE.`, copy the parts and join them with cat";

struct CpArguments : CommandFrame {
  std::string from;
  std::string to;
};

std::string files_path(const CopyLocation& location) {
  return location.session->branch_path() + "/files" + query({{"path", location.path}});
}

Error is_directory_error(const std::string& path) {
  return invalid(path + " is a directory; cp copies single files",
                 "pack it: tar -C DIR -czf d.tgz . && statefork cp d.tgz S:/tmp/ && "
                 "statefork exec S -- tar -C /DIR -xzf /tmp/d.tgz (and the same way out)");
}

Result<std::string> read_local(const CopyLocation& location) {
  if (location.is_stream()) return read_standard_input(kMaxFileWrite, kSplitHint);
  if (os::is_directory(location.path)) return is_directory_error(location.path);
  struct stat info {};
  if (::stat(location.path.c_str(), &info) == 0 && S_ISREG(info.st_mode) &&
      static_cast<std::size_t>(info.st_size) > kMaxFileWrite)
    return invalid(location.path + " has more than " + std::to_string(kMaxFileWrite) + " bytes",
                   kSplitHint);
  return os::read_file(location.path, kMaxFileWrite);
}

// Replaces the file atomically. On an error the old file stays.
Status replace_file(const std::string& path, const std::string& bytes, mode_t mode) {
  std::string draft = path + ".XXXXXX";
  os::UniqueFd file(::mkostemp(draft.data(), O_CLOEXEC));
  if (!file.valid()) return os::last_error("creating a file beside " + path);
  ScopeExit discard([&] { ::unlink(draft.c_str()); });
  auto written = os::write_all(file.get(), bytes);
  if (!written.ok()) return std::move(written).error().while_doing(path);
  if (::fchmod(file.get(), mode) != 0) return os::last_error("setting the mode of " + path);
  SF_TRY(os::rename_path(draft, path));
  discard.dismiss();
  return Ok{};
}

mode_t mode_of_new_files() {
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return 0666U & ~mask;
}

Status write_local(const std::string& path, const std::string& bytes) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return replace_file(path, bytes, mode_of_new_files());
  if (S_ISREG(info.st_mode)) {
    SF_TRY_ASSIGN(std::string target, os::real_path(path));  // keep the link and replace its target
    return replace_file(target, bytes, info.st_mode & 07777U);
  }
  SF_TRY_ASSIGN(os::UniqueFd device, os::open_file(path, O_WRONLY));  // a pipe, /dev/null
  return os::write_all(device.get(), bytes);
}

Result<int> copy_out(const CpArguments& arguments, const CopyLocation& from, const CopyLocation& to,
                     const ApiClient& client) {
  SF_TRY_ASSIGN(std::string bytes, client.get_bytes(files_path(from)));
  if (to.is_stream()) {
    SF_TRY(os::write_all(STDOUT_FILENO, bytes));
    return 0;
  }
  std::string target = to.path;
  if (os::is_directory(target)) target = inside(target, from.file_name());
  SF_TRY(write_local(target, bytes));
  return print_answer(arguments, {{"path", target}, {"bytes", bytes.size()}},
                      [](const auto&) { return std::string(); });
}

Result<int> copy_in(const CpArguments& arguments, const CopyLocation& from, CopyLocation to,
                    const ApiClient& client) {
  if (to.path.ends_with('/')) {
    if (from.is_stream()) return invalid("standard input has no name", "give one: S:/dir/NAME");
    to.path = inside(to.path, from.file_name());
  }
  SF_TRY_ASSIGN(std::string bytes, read_local(from));
  SF_TRY_ASSIGN(wire::Json report, client.put_bytes(files_path(to), std::move(bytes)));
  return print_answer(arguments, report, [](const auto&) { return std::string(); });
}

Result<int> run_cp(const CpArguments& arguments, ApiClient& client) {
  SF_TRY_ASSIGN(CopyLocation from, parse_location(arguments.from));
  SF_TRY_ASSIGN(CopyLocation to, parse_location(arguments.to));
  if (from.session && to.session)
    return invalid("both files are in sessions; copy through a pipe",
                   "statefork cp " + arguments.from + " - | statefork cp - " + arguments.to);
  if (!from.session && !to.session)
    return invalid("neither file is in a session", "write one as S:/path or S/BRANCH:/path");
  return from.session ? copy_out(arguments, from, to, client)
                      : copy_in(arguments, from, std::move(to), client);
}

}  // namespace

void add_cp_command(CLI::App& app, int& exit_code) {
  auto [command, arguments] = add_daemon_command<CpArguments>(
      app, exit_code, "cp", "Copy a file into a session, or out of it", run_cp);
  command.add_option("SRC", arguments.from, "The file; - is standard input")
      ->type_name("S:FILE")
      ->required();
  command.add_option("DST", arguments.to, "The copy or its directory; - is standard output")
      ->type_name("S:FILE")
      ->required();
  command.footer(
      "One of SRC and DST is in a session: S:/path, or S/BRANCH:/path. A directory in a session\n"
      "ends with /. The limit is 16 MiB into a session and 64 MiB out of it. After an error the\n"
      "file on this host is unchanged. To copy a directory, pack it with tar.\n"
      "Examples:\n"
      "  statefork cp notes.txt work:/root/\n"
      "  statefork cp work/b1:/etc/hosts .\n"
      "  statefork cp work:/var/log/app.log - | tail");
}

}  // namespace sf::cli
