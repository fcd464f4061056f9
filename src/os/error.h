// Converts errno to Error. The message has the subject of the call and the symbolic errno.
#pragma once

#include <cerrno>
#include <string>
#include <string_view>

#include "base/result.h"

namespace sf::os {

// "EPERM: Operation not permitted"
std::string errno_text(int error);

// Requires: `error` was copied from errno right after the call that failed.
Error os_error(int error, std::string_view what);
inline Error last_error(std::string_view what) { return os_error(errno, what); }

}  // namespace sf::os
