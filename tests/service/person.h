// Person: simulates a user at a real terminal, with one program: types, pastes and reads.
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
  ~Person();  // kills the program unless exit_code() was called
  Person(const Person&) = delete;
  Person& operator=(const Person&) = delete;

  // Types a few keys without waiting.
  void type(const std::string& keys);
  // Sends any number of bytes as fast as the program reads them, and reads output in the meantime.
  // Returns false if the terminal was closed, or took no byte for a minute.
  bool paste(std::string_view text);
  std::size_t pasted() const { return pasted_; }  // bytes so far; another thread may read it
  void resize(unsigned short rows, unsigned short cols);
  // Reads until `text` was shown, and forgets the output before it.
  ::testing::AssertionResult sees(const std::string& text);
  // True if `text` is shown within `time`.
  bool sees_soon(const std::string& text, milliseconds time);
  // All output so far.
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
