// Rows for the native engine only: states that CRIU cannot restore, or restores differently.
#include "scenario.h"

namespace sf::equivalence {
namespace {

constexpr FeatureRow kRows[] = {
    {"UnixClosedEnds", "unix-closed-ends"},
    {"UnixPeerCredentials", "unix-peer-credentials"},
    {"UnixDatagramSenders", "unix-datagram-senders", Asking::kOnce},
    {"UnixWaitingConnections", "unix-waiting-connections", Asking::kOnce},
    {"UnixFullAndOwned", "unix-full-and-owned"},
    {"TcpAcrossFamilies", "tcp-across-families"},
    {"TcpClosedByTheClient", "tcp-closed-by-the-client", Asking::kOnce},
    {"TcpFullBothWays", "tcp-full-both-ways", Asking::kOnce},
    {"TcpEnded", "tcp-ended", Asking::kOnce},
    {"TcpNotAccepted", "tcp-not-accepted", Asking::kOnce},
    {"UdpUnread", "udp-unread", Asking::kOnce},
    {"Netlink", "netlink"},
    {"SysvRemovedSharedMemory", "sysv-removed"},
    {"OddTimers", "odd-timers"},
    {"LatePersonality", "late-personality"},
    {"PosixQueues", "posix-queues"},
    {"GuardRegions", "guards"},
    {"RegrownMemory", "regrown-memory"},
    {"ProcessDescriptors", "process-descriptors"},
    {"SystemCallFilters", "system-call-filters"},
    {"Terminals", "terminals"},
    {"TerminalSession", "terminal-session"},
    {"TerminalUnreadLines", "terminal-unread-lines", Asking::kOnce},
    {"TerminalUnreadBytes", "terminal-unread-bytes", Asking::kOnce},
    {"TerminalClosedAndStopped", "terminal-closed-and-stopped", Asking::kOnce},
};

// Removed names: CRIU restores the objects under other names and leaves directories behind.
std::vector<Scenario> lost_names() {
  return {
      {.name = "DeletedDirectoryHeldOpen",
       .prepare = {"mkdir -p gone/deeper; exec 7<gone/deeper; rm -r gone"},
       .probe = {"readlink /proc/$$/fd/7; ls -la /proc/$$/fd/7/; stat -Lc %a /proc/$$/fd/7",
                 "touch /proc/$$/fd/7/x 2>&1; ls"},
       .expect = "(deleted)"},
      {.name = "DirectoryThatWasMadeAgain",
       .prepare = {"mkdir build; cd build; echo x > x; rm -r ../build; mkdir ../build; "
                   "echo y > ../build/y",
                   "stat -c %i ../build > ../inode"},
       .probe = {"readlink /proc/$$/cwd; pwd; ls; ls /w/build; cat /w/build/y",
                 "stat -c '%i %y' /w/build; cat /w/inode; touch x 2>&1; true"},
       .expect = "/w/build (deleted)"},
      {.name = "FilesThatWereReplaced",
       .prepare = {"mkdir d; cp /bin/sleep nap; echo old > text; echo deep > d/deep; "
                   "./nap 1000 & n=$!; exec 7<text 8<d/deep",
                   "wait-for sh -c '[ $(readlink /proc/$0/exe) = /w/nap ]' $n; rm -r nap text d",
                   "echo 'exit 3' > nap; echo new > text; ln text another; stat -c %i * > inodes"},
       .probe = {"readlink /proc/$n/exe /proc/$$/fd/7 /proc/$$/fd/8; cat /proc/$$/fd/8",
                 "cmp /proc/$n/exe /bin/sleep && cat /proc/$$/fd/7 text nap another",
                 "stat -c '%n %h %i %y' * .; cat inodes"},
       .expect = "/w/nap (deleted)"},
  };
}

}  // namespace

std::vector<Scenario> native_scenarios() {
  std::vector<Scenario> scenarios = lost_names();
  for (Scenario& row : feature_scenarios(kRows)) scenarios.push_back(std::move(row));
  return scenarios;
}

}  // namespace sf::equivalence
