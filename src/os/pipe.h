#pragma once

#include "base/result.h"
#include "os/fd.h"

namespace sf::os {

struct Pipe {
  UniqueFd read_end;
  UniqueFd write_end;
};

// Both ends are close-on-exec.
Result<Pipe> make_pipe();

}  // namespace sf::os
