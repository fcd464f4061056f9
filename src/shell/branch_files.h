// Files of a branch, read and written from outside of its shell.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "shell/change_gate.h"

namespace sf::waypoint {

// `root`: the branch's root directory as the caller sees it.
Result<std::string> read_branch_file(const std::string& root, const std::string& path,
                                     std::size_t max_bytes);
// A file that is new belongs to `user`, as the root knows him; others keep their owner.
Status write_branch_file(const ChangePermit& permit, const std::string& root,
                         const std::string& user, const std::string& path,
                         std::string_view content);

}  // namespace sf::waypoint
