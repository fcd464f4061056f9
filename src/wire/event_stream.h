// EventStreamReader: incremental parser of server-sent events (text/event-stream). Pure.
// Example (src/wire/event_stream_test.cc):
//
//   EventStreamReader reader;
//   ...
//     auto events = reader.feed(text.substr(at, piece));
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace sf::wire {

struct ServerEvent {
  std::string name;  // "message" if the server gave none
  std::string data;  // the data lines, joined with \n
  std::string id;    // of this event, or of the last event with an id
};

class EventStreamReader {
 public:
  // Size of one event with all its fields. Enough for the largest output of a command if each byte
  // is escaped.
  static constexpr std::size_t kMaxEvent = 512U << 20U;

  explicit EventStreamReader(std::size_t max_event = kMaxEvent) : max_event_(max_event) {}

  // Returns the events that these bytes complete. An event without an end is never returned.
  // kCorrupt: an event exceeds the limit; do not call feed() again.
  Result<std::vector<ServerEvent>> feed(std::string_view bytes);

 private:
  void take_line(std::string_view line, std::vector<ServerEvent>& events);

  std::size_t max_event_;
  std::string line_;  // the current line so far
  bool at_start_ = true;
  bool after_return_ = false;  // a carriage return was last; a line feed after it is ignored
  bool has_data_ = false;
  ServerEvent next_;
};

}  // namespace sf::wire
