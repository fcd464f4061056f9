// Paths of the agent inside a sandbox. /dev is a separate file system in every container and
// sandbox, so a snapshot's files contain neither the agent nor its socket.
#pragma once

namespace sf::agent {

inline constexpr const char* kAgentPath = "/dev/.statefork-agent";
inline constexpr const char* kAgentSocket = "/dev/.statefork-agent.sock";

}  // namespace sf::agent
