// Person: somebody at a real terminal who runs one program there, types, pastes and looks.
#pragma once

#include <gtest/gtest.h>
#include <sys/types.h>

#include <atomic>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "os/fd.h"

namespace sf::test {

class Person {
 public:
  explicit Person(const std::vector<std::string>& argv);
  ~Person();  // the program is killed, unless its end was awaited
  Person(const Person&) = delete;
  Person& operator=(const Person&) = delete;

  // Few keys, at once.
  void type(const std::string& keys);
  // Any number of bytes, as fast as the program takes them; reads meanwhile, as a terminal does.
  // False: the terminal went away, or nothing of it was taken for a minute.
  bool paste(std::string_view text);
  std::size_t pasted() const { return pasted_; }  // so far, for another thread to know
  void resize(unsigned short rows, unsigned short cols);
  // Reads until this was shown; forgets what came before it.
  ::testing::AssertionResult sees(const std::string& text);
  // Whether this is shown within a short time.
  bool sees_soon(const std::string& text, milliseconds time);
  // All that was ever shown.
  const std::string& transcript() const { return transcript_; }
  pid_t program() const { return pid_; }
  int exit_code();

 private:
  bool read_some(Deadline deadline);

  pid_t pid_ = 0;
  os::UniqueFd master_;
  std::string shown_;
  std::string transcript_;
  std::atomic<std::size_t> pasted_ = 0;
};

}  // namespace sf::test
