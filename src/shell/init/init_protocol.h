// What the branch's init (PID 1) and its keeper agree on. No dependencies: init is a tiny static
// program.
//
// Init holds both ends of three pipes and four memory files at fixed descriptor numbers. The
// keeper, outside, reaches them as /proc/<init>/fd/N; the shell, inside, as /proc/1/fd/N. So
// nothing in the tree refers to anything outside it (an engine could not capture that), and nothing
// lies in the file system where `rm -rf` would find it.
#pragma once

namespace sf::waypoint {

enum InitFd : int {
  kEventRead = 3,  // keeper reads: records of the shell and of init, one line each
  kEventWrite = 4,
  kAckRead = 5,  // the shell waits here for the keeper's go-ahead
  kAckWrite = 6,
  kRequestRead = 7,  // init reads: one byte per request
  kRequestWrite = 8,
  kCommandText = 9,   // memory file: the command to run
  kScript = 10,       // memory file: the shell's side of the command protocol
  kRcFile = 11,       // memory file: read by the shell when it starts
  kRequestText = 12,  // memory file: the request's words, each ended by NUL
  kInitFdEnd = 13,
  kFirstSink = 64,  // from here on: read ends of the output of side commands, see "sweep"
};

// Requests (words of kRequestText): kind, id, uid, gid, number of groups, groups..., cwd,
// number of arguments, arguments..., number of environment entries, entries...
//   "shell"   start the shell on the branch's terminal      -> "L <pid>"
//   "holder"  keep the descriptors as that user             -> "A <pid>"
//   "side"    start a command with pipes                    -> "P <id> <pid> <in> <out> <err>"
//   "go"      the keeper has opened the pipes of <id> (0: of whichever was started last): init
//             closes all its ends but <out> and <err>
//   "sweep"   close <out> and <err> of the side commands that have ended
// While a side command runs, init keeps the read ends of its output. So a checkpoint contains a
// reader, and in a restored or forked copy the command does not die of SIGPIPE: the copy's keeper
// finds the read ends and drains them. Init does not close them by itself when the command ends: it
// changes only when it is asked to (engine/native/process/known_init.h).
// Other records: "X <pid> <wait status>" a shell or side command ended; "F <id> <errno> <step>" a
// start failed; "B <n> <flags>", "S <n>" and "E <n> <status> <flags>": the
// shell loads, begins and ends its n-th command.
inline constexpr unsigned kMaxRequestWords = 1U << 17U;
inline constexpr unsigned kMaxRequestBytes = 4U << 20U;
inline constexpr const char* kTerminalPath = "/dev/pts/0";
inline constexpr const char* kInitPath = "/dev/.waypoint-init";

}  // namespace sf::waypoint
