// Finding what a backend over somebody else's tool needs.
#pragma once

#include <string>
#include <vector>

#include "backends/backend_entry.h"
#include "base/result.h"

namespace sf::backends {

// Where programs are looked for: not in the caller's PATH, since they run as root.
inline constexpr const char* kProgramPath =
    "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

// kNotFound with `hint` when there is no such program; `first` is a directory to look into before.
Result<std::string> find_program(const std::string& name, const std::string& hint,
                                 const std::string& first = {});
Status check_agent(const HostContext& around);
// A copy of the agent that stays as it is when the programs are replaced: what was captured with it
// can only come back with it.
Result<std::string> kept_agent(const HostContext& around);
// Names in a directory; none when there is no such directory.
Result<std::vector<std::string>> names_in(const std::string& directory);

}  // namespace sf::backends
