// PlainShell: a bash on a terminal of this process, as a baseline for the shell's own time.
#pragma once

#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "os/fd.h"
#include "os/process.h"

namespace sf::bench {

class PlainShell {
 public:
  static Result<PlainShell> start();
  // Measures from the first byte typed to the last byte of the next prompt.
  Result<microseconds> run(std::string_view command);

 private:
  PlainShell(os::UniqueFd master, os::Child bash)
      : master_(std::move(master)), bash_(std::move(bash)) {}
  Status wait_for_prompt();

  os::UniqueFd master_;
  os::Child bash_;
};

}  // namespace sf::bench
