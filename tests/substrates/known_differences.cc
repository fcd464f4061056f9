#include "known_differences.h"

#include <algorithm>

namespace sf::test {
namespace {

const char* const kInodesAndTimes =
    "files come back with other inode numbers, and times without fractions of a second";

}  // namespace

const std::vector<KnownDifference>& known_differences() {
  static const std::vector<KnownDifference> all = {
      {"gvisor",
       "files of the root have other inode numbers",
       {"BaseFileWithOtherPermissions", "HardLinkedBaseFilesCopiedUp", "InodeNumbers",
        "TemporaryDirectories"}},
      {"gvisor",
       "its kernel lacks file capabilities, TIOCOUTQ and the foreground group in "
       "/proc",
       {"FileCapabilities", "TcpWithUnsentData", "Foreground"},
       KnownDifference::Kind::kCannotBeMade},
      {"gvisor",
       "the way in is a process inside, which shows and takes a pid",
       {"NothingHappened", "NextPid"}},
      {"vm", "kernel threads come and go, and show", {"NothingHappened"}},
      {"docker",
       kInodesAndTimes,
       {"Tree", "DeletedAndRemadeBaseDirectory", "RenamedDirectory", "RenamedBaseDirectory",
        "BaseDirectoryRenamedTwiceAndBack", "FileAndDirectoryTakeEachOthersPlace",
        "BaseFileWithOtherPermissions", "SymbolicLinks", "HardLinks", "HardLinkToABaseFile",
        "HardLinkedBaseFilesCopiedUp", "LargeFile", "Fifo", "InodeNumbers", "AptLikeTree"}},
      {"docker", "/etc/hosts, hostname and resolv.conf are the engine's own", {"EditedBaseFiles"}},
      {"docker", "attributes of users are not committed", {"ExtendedAttributes"}},
      {"docker", "holes of sparse files are filled", {"SparseFile"}},
      {"docker", "sockets are not committed", {"UnixSocketFile"}},
      {"docker", "/dev/shm is no part of an image", {"TemporaryDirectories"}},
      {"docker",
       "a hard link over layers is another file: `git clone` of a local repository fails",
       {"GitCloneOfARepositoryBornHere"}},
      {"podman-commit",
       kInodesAndTimes,
       {"Tree", "DeletedAndRemadeBaseDirectory", "RenamedDirectory", "RenamedBaseDirectory",
        "BaseDirectoryRenamedTwiceAndBack", "FileAndDirectoryTakeEachOthersPlace",
        "BaseFileWithOtherPermissions", "SymbolicLinks", "HardLinks", "HardLinkToABaseFile",
        "HardLinkedBaseFilesCopiedUp", "LargeFile", "Fifo", "InodeNumbers", "AptLikeTree"}},
      {"podman-commit",
       "/etc/hosts, hostname and resolv.conf are not committed",
       {"EditedBaseFiles"}},
      {"podman-commit", "holes of sparse files are filled", {"SparseFile"}},
      {"podman-commit", "sockets are not committed", {"UnixSocketFile"}},
      {"podman-commit", "/dev/shm is no part of an image", {"TemporaryDirectories"}},
      {"podman-commit",
       "a hard link over layers is another file: `git clone` of a local repository fails",
       {"GitCloneOfARepositoryBornHere"}},
      {"replay",
       "files get other times",
       {"Tree", "RenamedDirectory", "FileAndDirectoryTakeEachOthersPlace", "SymbolicLinks",
        "PipLikeTree"}},
      {"replay",
       "state that depends on the time or on free inode numbers may differ",
       {"DeletedAndRemadeBaseDirectory", "RenamedBaseDirectory", "EditedBaseFiles", "HardLinks",
        "LargeFile", "Fifo", "UnixSocketFile", "InodeNumbers", "TemporaryDirectories",
        "GitWithUncommittedWork", "PythonEnvironment", "AptLikeTree"},
       KnownDifference::Kind::kByChance},
      {"podman",
       kInodesAndTimes,
       {"Tree", "DeletedAndRemadeBaseDirectory", "RenamedDirectory", "RenamedBaseDirectory",
        "BaseDirectoryRenamedTwiceAndBack", "FileAndDirectoryTakeEachOthersPlace",
        "BaseFileWithOtherPermissions", "SymbolicLinks", "HardLinks", "HardLinkToABaseFile",
        "HardLinkedBaseFilesCopiedUp", "LargeFile", "Fifo", "InodeNumbers", "TemporaryDirectories",
        "PythonEnvironment", "AptLikeTree"}},
      {"podman", "/etc/hosts, hostname and resolv.conf are not exported", {"EditedBaseFiles"}},
      {"podman", "holes of sparse files are filled", {"SparseFile"}},
      {"podman", "sockets are not exported", {"UnixSocketFile"}},
      {"podman", "the container's cgroup has another name", {"IdentityAndNamespace"}},
      {"podman", "the counter of pids is not restored", {"NextPid"}},
      {"podman",
       "a file that is open by a name that is gone, and has others, cannot be captured",
       {"UnlinkedBaseFileHeldOpen", "FileOpenByARemovedName"}},
      {"podman", "script(1) ends when it comes back", {"Script"}},
      {"podman",
       "stopped processes cannot be captured where the host has the freezer of cgroup v1",
       {"StoppedJob", "StoppedJobGoesOn"}},
  };
  return all;
}

const KnownDifference* known_difference(const std::string& backend, const std::string& scenario) {
  for (const KnownDifference& known : known_differences()) {
    if (known.backend == backend && std::ranges::count(known.scenarios, scenario) > 0)
      return &known;
  }
  return nullptr;
}

}  // namespace sf::test
