// Rows for the native engine alone: what CRIU fails at, or brings back otherwise.
#include "scenario.h"

namespace sf::equivalence {
namespace {

struct Row {
  const char* name;
  const char* feature;
  Asking asking = Asking::kAgain;
};

constexpr Row kRows[] = {
    {"UnixClosedEnds", "unix-closed-ends"},
    {"UnixPeerCredentials", "unix-peer-credentials"},
    {"UnixDatagramSenders", "unix-datagram-senders", Asking::kOnce},
    {"UnixWaitingConnections", "unix-waiting-connections", Asking::kOnce},
    {"UnixFullAndOwned", "unix-full-and-owned"},
    {"TcpAcrossFamilies", "tcp-across-families"},
    {"TcpClosedByTheClient", "tcp-closed-by-the-client", Asking::kOnce},
    {"TcpFullBothWays", "tcp-full-both-ways", Asking::kOnce},
    {"SysvRemovedSharedMemory", "sysv-removed"},
    {"ProcessDescriptors", "process-descriptors"},
    {"SystemCallFilters", "system-call-filters"},
    {"Terminals", "terminals"},
    {"TerminalSession", "terminal-session"},
};

}  // namespace

std::vector<Scenario> native_scenarios() {
  std::vector<Scenario> scenarios;
  for (const Row& row : kRows) {
    Scenario scenario;
    scenario.name = row.name;
    scenario.prepare = {std::string("stateful start ") + row.feature + " /w/state"};
    scenario.probe = {"stateful ask /w/state"};
    scenario.expect = "=";
    scenario.asking = row.asking;
    scenarios.push_back(scenario);
  }
  return scenarios;
}

}  // namespace sf::equivalence
