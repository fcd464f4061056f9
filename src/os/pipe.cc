#include "os/pipe.h"

#include <fcntl.h>
#include <unistd.h>

#include "os/error.h"

namespace sf::os {

Result<Pipe> make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return last_error("creating a pipe");
  return Pipe{UniqueFd(ends[0]), UniqueFd(ends[1])};
}

}  // namespace sf::os
