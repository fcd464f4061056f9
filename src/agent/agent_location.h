// Where the agent is found inside a substrate. On /dev: a file system of its own in every container
// and sandbox, so that neither shows in the files that a snapshot keeps.
#pragma once

namespace sf::agent {

inline constexpr const char* kAgentPath = "/dev/.statefork-agent";
inline constexpr const char* kAgentSocket = "/dev/.statefork-agent.sock";

}  // namespace sf::agent
