// Finds the programs and files that backends over external tools need.
#pragma once

#include <string>
#include <vector>

#include "backends/backend_entry.h"
#include "base/result.h"

namespace sf::backends {

// Search path for programs. The caller's PATH is not used, because the programs run as root.
inline constexpr const char* kProgramPath =
    "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

// Fails with kNotFound and `hint` if there is no such program. Searches the directory `first`
// first.
Result<std::string> find_program(const std::string& name, const std::string& hint,
                                 const std::string& first = {});
Status check_agent(const HostContext& around);
// A copy of the agent that does not change if the programs are upgraded: a state can only be
// restored with the agent that it was captured with.
Result<std::string> kept_agent(const HostContext& around);
// Names in a directory; empty if the directory does not exist.
Result<std::vector<std::string>> names_in(const std::string& directory);

}  // namespace sf::backends
