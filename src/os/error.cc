#include "os/error.h"

#include <cstring>

namespace sf::os {

std::string errno_text(int error) {
  const char* name = strerrorname_np(error);
  const char* text = strerrordesc_np(error);
  return std::string(name ? name : "errno " + std::to_string(error)) + ": " + (text ? text : "?");
}

Error os_error(int error, std::string_view what) {
  ErrorCode code = ErrorCode::kOs;
  if (error == ENOENT) code = ErrorCode::kNotFound;
  if (error == ENOSPC || error == EDQUOT) code = ErrorCode::kNoSpace;
  if (error == EBUSY) code = ErrorCode::kBusy;
  return Error{code, error, std::string(what) + ": " + errno_text(error), {}};
}

}  // namespace sf::os
