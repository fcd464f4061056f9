// TerminalLink: this process's terminal joined to a branch's: what the branch prints appears here,
// what is typed here goes there, and so does the window's size. Nothing that is typed meanwhile
// reaches whoever has this terminal next, however the link ends.
#pragma once

#include <string>

#include "base/result.h"
#include "client/api_client.h"

namespace sf::cli {

using client::ApiClient;

struct LinkEnd {
  enum class Why { kDetached, kBranchEnded, kSignal };
  Why why = Why::kDetached;
  std::size_t discarded = 0;  // typed bytes that went nowhere
};

// Returns when the detach key was typed, or the branch has ended. The terminal is as it was then.
// Requires: standard input and output are a terminal; no other threads yet.
Result<LinkEnd> link_terminal(const ApiClient& client, const std::string& branch_path,
                              char detach_key);

}  // namespace sf::cli
