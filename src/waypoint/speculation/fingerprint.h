// StateFingerprint: everything about a branch at rest that a restore would bring back, as one
// digest. Equal fingerprints prove that nothing has changed in between; there is none where
// something cannot be seen into: processes beside the shell, pipes, memory shared by IPC, file
// systems of the user's own.
#pragma once

#include <optional>
#include <string>

#include "engine/native/ipc/posix_queues.h"
#include "os/fd.h"
#include "shell/shell_fingerprint.h"

namespace sf::waypoint {

struct StateFingerprint {
  std::string digest;
  long commands = 0;  // how many the shell had run
  long line = 0;      // which line it had read last
  bool operator==(const StateFingerprint&) const = default;
};

struct FingerprintedBranch {
  pid_t init = 0;  // pids as the keeper sees them
  pid_t shell = 0;
  pid_t holder = 0;
  int terminal = -1;  // master
  std::string upper;  // what it changed of its base root
  long commands = 0;
};

// Whether nothing else runs in the branch, and the shell may write a fingerprint of any size.
bool stands_alone(const FingerprintedBranch& branch);
// What the digest covers of all that an engine saves: fingerprint_coverage.h.
// Requires: the shell waits at its prompt, `shell_fingerprint` is of its last command's end, and
// the caller lives in the branch's IPC namespace. `queues` keeps a mount between two calls.
std::optional<StateFingerprint> fingerprint_state(const FingerprintedBranch& branch,
                                                  const ShellFingerprint& shell_fingerprint,
                                                  native::PosixQueues& queues);
// The shell alone, without files and without what a replay of its commands would not bring about
// again. Requires: the same.
std::optional<std::string> digest_shell(const FingerprintedBranch& branch,
                                        const ShellFingerprint& shell_fingerprint,
                                        native::PosixQueues& queues);

}  // namespace sf::waypoint
