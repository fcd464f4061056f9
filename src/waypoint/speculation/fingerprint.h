// StateFingerprint: a digest of all state of a branch at rest that a restore would bring back.
// Equal fingerprints prove that nothing has changed in between. A branch has no fingerprint if some
// of its state cannot be inspected: processes beside the shell, pipes, shared IPC memory, the
// user's own mounts.
#pragma once

#include <optional>
#include <string>

#include "engine/native/ipc/posix_queues.h"
#include "os/fd.h"
#include "shell/shell_fingerprint.h"

namespace sf::waypoint {

struct StateFingerprint {
  std::string digest;
  long commands = 0;  // number of commands that the shell has run
  long line = 0;      // number of the last line that the shell has read
  bool operator==(const StateFingerprint&) const = default;
};

struct FingerprintedBranch {
  pid_t init = 0;  // pids of the keeper's namespace
  pid_t shell = 0;
  pid_t holder = 0;
  int terminal = -1;  // master
  std::string upper;  // directory of its changed files
  long commands = 0;
};

// Whether no other process runs in the branch, and no limit keeps the shell from writing a
// fingerprint.
bool stands_alone(const FingerprintedBranch& branch);
// fingerprint_coverage.h lists the state that the digest covers. Requires: the shell waits at its
// prompt, `shell_fingerprint` is from the end of its last command, and the caller is in the
// branch's IPC namespace. `queues` keeps a mount between two calls.
std::optional<StateFingerprint> fingerprint_state(const FingerprintedBranch& branch,
                                                  const ShellFingerprint& shell_fingerprint,
                                                  native::PosixQueues& queues);
// The state of the shell only, without files and without state that a replay of the commands does
// not reproduce. Requires: the same.
std::optional<std::string> digest_shell(const FingerprintedBranch& branch,
                                        const ShellFingerprint& shell_fingerprint,
                                        native::PosixQueues& queues);

}  // namespace sf::waypoint
