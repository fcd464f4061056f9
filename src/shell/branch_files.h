// Reads and writes files of a branch without its shell.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "shell/change_gate.h"

namespace sf::waypoint {

// `root`: path of the branch's root directory for the caller.
Result<std::string> read_branch_file(const std::string& root, const std::string& path,
                                     std::size_t max_bytes);
// A new file belongs to `user`, looked up in the root's /etc/passwd; an existing one keeps its
// owner.
Status write_branch_file(const ChangePermit& permit, const std::string& root,
                         const std::string& user, const std::string& path,
                         std::string_view content);

}  // namespace sf::waypoint
