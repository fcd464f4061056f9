// State of all sockets: options, names, queued data.
#pragma once

#include <string>
#include <string_view>

#include "resource.h"

namespace zoo {

// Type, protocol, buffer sizes, options, own name and peer name.
void say_socket(Report& report, std::string_view key, int fd);
// The unread data of a stream, without consuming it.
std::string peek_stream(int fd, std::size_t most = 1U << 20U);
// Sets some random options.
void choose_options(Chance& chance, int fd);

// Two ends of a stream with data in flight.
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
  // Reads everything and expects the sent data. Only one holder of each end does this.
  std::optional<std::string> finish(const std::string& path);
  // Keeps one end in each process, or both ends in both.
  void part(Resource::Side side);
  Fd& one() { return one_; }
  Fd& other() { return other_; }

 private:
  Fd one_;
  Fd other_;
  std::string to_one_;  // all data sent to this end
  std::string to_other_;
  bool parts_ = false;
};

}  // namespace zoo
