// The protocol between the branch's init (PID 1) and its keeper. No dependencies, because init is a
// small static program.
//
// Init holds both ends of three pipes, and four memory files, at fixed descriptor numbers. The
// keeper opens them as /proc/<init>/fd/N from outside; the shell opens them as /proc/1/fd/N. So no
// process of the tree has a descriptor of an object outside of it, which an engine could not
// capture, and no file can be removed by `rm -rf`.
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
  kFirstSink = 64,  // this and higher numbers: read ends of side commands' output, see "sweep"
};

// The words of a request (kRequestText): kind, id, uid, gid, number of groups, groups..., cwd,
// number of arguments, arguments..., number of environment entries, entries...
//
//   kind      | init does                                       | record
//   "shell"   | starts the shell on the branch's terminal       | "L <pid>"
//   "holder"  | starts a process of that user that holds the    | "A <pid>"
//             | descriptors                                     |
//   "side"    | starts a command with pipes                     | "P <id> <pid> <in> <out> <err>"
//   "go"      | closes its ends of the pipes of <id> (0: of the |
//             | last started command) except <out> and <err>;   |
//             | sent when the keeper has opened the pipes       |
//   "sweep"   | closes <out> and <err> of the side commands     |
//             | that have ended                                 |
//
// While a side command runs, init keeps the read ends of its output, so a checkpoint contains a
// reader. In a restored or forked branch, the keeper opens these read ends and drains them, so
// SIGPIPE does not kill the command. Init does not close them by itself when the command ends: its
// state changes only on request (engine/native/process/known_init.h).
//
// Other records: "X <pid> <wait status>": a shell or side command ended. "F <id> <errno> <step>": a
// start failed. "B <n> <flags>", "S <n>" and "E <n> <status> <flags>": the shell loads, begins and
// ends its n-th command. "D": init has served a request.
inline constexpr unsigned kMaxRequestWords = 1U << 17U;
inline constexpr unsigned kMaxRequestBytes = 4U << 20U;
inline constexpr const char* kTerminalPath = "/dev/pts/0";
inline constexpr const char* kInitPath = "/dev/.waypoint-init";

}  // namespace sf::waypoint
