// TerminalLink: attaches this process's terminal to a branch: shows the branch's output, and sends
// typed input and the window's size. The input never reaches the next program on this terminal,
// regardless of how the link ends.
#pragma once

#include <string>

#include "base/result.h"
#include "client/api_client.h"

namespace sf::cli {

using client::ApiClient;

struct LinkEnd {
  enum class Why { kDetached, kBranchEnded, kSignal };
  Why why = Why::kDetached;
  std::size_t discarded = 0;  // number of typed bytes that were discarded
};

// Returns at the detach key or when the branch ends, and restores the terminal's settings.
// Requires: standard input and output are a terminal; no other threads yet.
Result<LinkEnd> link_terminal(const ApiClient& client, const std::string& branch_path,
                              char detach_key);

}  // namespace sf::cli
