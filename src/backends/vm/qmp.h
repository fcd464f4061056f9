// Qmp: QEMU's monitor. One connection, one command at a time.
#pragma once

#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "os/fd.h"
#include "wire/json.h"

namespace sf::backends {

class Qmp {
 public:
  static Result<Qmp> connect(const std::string& socket, Deadline deadline);
  Result<wire::Json> command(const std::string& name, const wire::Json& arguments,
                             Deadline deadline);
  // Runs a command of the human monitor. Such a command prints nothing unless it fails.
  Status person_command(const std::string& line, Deadline deadline);

 private:
  explicit Qmp(os::UniqueFd socket) : socket_(std::move(socket)) {}
  Result<wire::Json> next_line(Deadline deadline);
  os::UniqueFd socket_;
  std::string unread_;
};

}  // namespace sf::backends
