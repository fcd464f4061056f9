// Rows for the native engine alone: what CRIU fails at, or brings back otherwise.
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
    {"SysvRemovedSharedMemory", "sysv-removed"},
    {"OddTimers", "odd-timers"},
    {"LatePersonality", "late-personality"},
    {"ProcessDescriptors", "process-descriptors"},
    {"SystemCallFilters", "system-call-filters"},
    {"Terminals", "terminals"},
    {"TerminalSession", "terminal-session"},
};

}  // namespace

std::vector<Scenario> native_scenarios() { return feature_scenarios(kRows); }

}  // namespace sf::equivalence
