#include "backends/hosted/root_archive.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <vector>

#include "base/digest.h"
#include "os/error.h"
#include "os/file.h"
#include "os/pipe.h"

namespace sf::backends {
namespace {

constexpr std::size_t kPiece = 1U << 20U;

Status add_directory(Digest& digest, const std::string& directory, dev_t device) {
  SF_TRY_ASSIGN(std::vector<std::string> names, os::list_directory(directory));
  std::ranges::sort(names);
  for (const std::string& name : names) {
    std::string path = directory + "/" + name;
    struct stat file {};
    if (::lstat(path.c_str(), &file) != 0) return os::last_error("looking at " + path);
    digest.add(name);
    for (auto number : {static_cast<std::uint64_t>(file.st_mode), std::uint64_t{file.st_uid},
                        std::uint64_t{file.st_gid}, static_cast<std::uint64_t>(file.st_size),
                        static_cast<std::uint64_t>(file.st_mtim.tv_sec),
                        static_cast<std::uint64_t>(file.st_mtim.tv_nsec)})
      digest.add(std::to_string(number));
    if (S_ISDIR(file.st_mode) && file.st_dev == device) SF_TRY(add_directory(digest, path, device));
  }
  digest.add("");  // marks the end of a directory
  return Ok{};
}

}  // namespace

Result<std::string> root_mark(const std::string& directory) {
  auto real = os::real_path(directory);
  if (!real) return invalid("root " + directory + ": " + real.error().message);
  struct stat top {};
  if (::stat(real->c_str(), &top) != 0) return os::last_error("looking at " + *real);
  if (!S_ISDIR(top.st_mode)) return invalid("root " + directory + " is not a directory");
  Digest digest;
  digest.add(*real);
  SF_TRY(add_directory(digest, *real, top.st_dev));
  return digest.hex();
}

Status pack_root(const std::string& directory, const std::string& archive) {
  SF_TRY_ASSIGN(RootArchive packed, RootArchive::open(directory));
  SF_TRY_ASSIGN(os::UniqueFd file,
                os::open_file(archive, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  for (;;) {
    SF_TRY_ASSIGN(std::optional<std::string> piece, packed.next());
    if (!piece) return Ok{};
    SF_TRY(os::write_all(file.get(), *piece));
  }
}

Result<RootArchive> RootArchive::open(const std::string& directory) {
  SF_TRY_ASSIGN(os::Pipe packed, os::make_pipe());
  os::SpawnOptions tar;
  tar.argv = {
      "/bin/tar", "--one-file-system", "--numeric-owner", "--xattrs", "-C", directory, "-cf", "-",
      "."};
  tar.env = {"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C"};
  tar.pass_fds = {{packed.write_end.get(), 1}};
  tar.death_signal = SIGKILL;
  SF_TRY_ASSIGN(os::Child child, os::spawn(tar));
  return RootArchive(std::move(child), std::move(packed.read_end));
}

Result<std::optional<std::string>> RootArchive::next() {
  std::string piece(kPiece, '\0');
  for (;;) {
    ssize_t n = ::read(output_.get(), piece.data(), piece.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return os::last_error("reading the archive of the root");
    if (n > 0) {
      piece.resize(static_cast<std::size_t>(n));
      return std::optional(std::move(piece));
    }
    SF_TRY_ASSIGN(os::ExitStatus status, tar_.wait(Deadline::never()));
    if (status.shell_code() != 0)
      return fail(ErrorCode::kOs, "tar could not read the whole root: " + status.text());
    return std::optional<std::string>();
  }
}

}  // namespace sf::backends
