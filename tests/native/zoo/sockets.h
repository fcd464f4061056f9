// What all kinds of sockets have: options, names, data that waits.
#pragma once

#include <string>
#include <string_view>

#include "resource.h"

namespace zoo {

// Type, protocol, buffers, options, own name and the other end's.
void say_socket(Report& report, std::string_view key, int fd);
// What a stream holds for its reader; it stays there.
std::string peek_stream(int fd, std::size_t most = 1U << 20U);
// A few options at random.
void choose_options(Chance& chance, int fd);

// Two ends of a stream with data under way.
class StreamEnds {
 public:
  void take(Fd one, Fd other) {
    one_ = std::move(one);
    other_ = std::move(other);
  }
  void fill(Chance& chance, std::size_t most);
  void shut_some(Chance& chance);
  void look(Report& report);
  void disturb();
  // Reads everything, and wants what was sent. One of those who hold an end does it.
  std::optional<std::string> finish(const std::string& path);
  // One end each, or both for both.
  void part(Resource::Side side);
  Fd& one() { return one_; }
  Fd& other() { return other_; }

 private:
  Fd one_;
  Fd other_;
  std::string to_one_;  // all that was sent
  std::string to_other_;
  bool parts_ = false;
};

}  // namespace zoo
