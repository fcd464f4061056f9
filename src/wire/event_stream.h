// EventStreamReader: server-sent events (text/event-stream) out of bytes as they arrive. Pure.
//
//   EventStreamReader reader;
//   SF_TRY_ASSIGN(std::vector<ServerEvent> events, reader.feed(bytes));
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace sf::wire {

struct ServerEvent {
  std::string name;  // "message" when the server gave none
  std::string data;  // its lines joined with \n
  std::string id;    // of this event, or the last one that had any
};

class EventStreamReader {
 public:
  // One event, with its name and all: the largest output of a command fits, each byte escaped.
  static constexpr std::size_t kMaxEvent = 512U << 20U;

  explicit EventStreamReader(std::size_t max_event = kMaxEvent) : max_event_(max_event) {}

  // The events that these bytes complete. kCorrupt: an event grew beyond the limit; nothing more
  // can be read. What the stream's end cuts off is no event.
  Result<std::vector<ServerEvent>> feed(std::string_view bytes);

 private:
  void take_line(std::string_view line, std::vector<ServerEvent>& events);

  std::size_t max_event_;
  std::string line_;  // begun and not yet ended
  bool at_start_ = true;
  bool after_return_ = false;  // a line feed that comes now belongs to the carriage return before
  bool has_data_ = false;
  ServerEvent next_;
};

}  // namespace sf::wire
