// The interpreter of programs: position-independent code that is copied into other processes.
#pragma once

#include <cstdint>
#include <span>

namespace sf::waypoint::native {

struct InterpreterCode {
  std::span<const unsigned char> bytes;
  std::size_t entry = 0;  // void entry(Program*); does not return
};
InterpreterCode interpreter_code();

}  // namespace sf::waypoint::native
