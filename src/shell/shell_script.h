// The script that the shell sources for each step of a command (shell_protocol.h), and its rc file.
// Pure.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <string_view>

namespace sf::waypoint {

// `holder` is the pid, in the branch, of the process that holds the protocol's descriptors.
std::string protocol_script(pid_t holder);
std::string shell_rc_file();

// Appended to a command: records $? and $_ after its last command. The exact text that `set -v`
// shows.
inline constexpr std::string_view kTailLine = R"({ __wp_tail=$? __wp_last=$_; } >/dev/null 2>&1)";

// Replaces the placeholders of the form @NAME@.
std::string with_paths(std::string_view text, pid_t holder);

}  // namespace sf::waypoint
