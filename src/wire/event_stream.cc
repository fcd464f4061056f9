#include "wire/event_stream.h"

#include <utility>

namespace sf::wire {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

}  // namespace

Result<std::vector<ServerEvent>> EventStreamReader::feed(std::string_view bytes) {
  std::vector<ServerEvent> events;
  while (!bytes.empty()) {
    if (std::exchange(after_return_, false) && bytes.front() == '\n') {
      bytes.remove_prefix(1);
      continue;
    }
    const std::size_t end = bytes.find_first_of("\r\n");
    const std::string_view part = bytes.substr(0, end);
    if (line_.size() + part.size() + next_.data.size() > max_event_)
      return fail(ErrorCode::kCorrupt,
                  "an event is larger than " + std::to_string(max_event_) + " bytes");
    line_ += part;
    if (end == std::string_view::npos) break;
    after_return_ = bytes[end] == '\r';
    bytes.remove_prefix(end + 1);
    take_line(std::exchange(line_, {}), events);
  }
  return events;
}

void EventStreamReader::take_line(std::string_view line, std::vector<ServerEvent>& events) {
  if (std::exchange(at_start_, false) && line.starts_with(kByteOrderMark))
    line.remove_prefix(kByteOrderMark.size());
  if (line.empty()) {
    std::string id = next_.id;  // later events without an id have this one
    if (next_.name.empty()) next_.name = "message";
    if (std::exchange(has_data_, false)) events.push_back(std::move(next_));
    next_ = {.id = std::move(id)};
    return;
  }
  const std::size_t colon = line.find(':');
  const std::string_view field = line.substr(0, colon);  // empty: a comment, used as keep-alive
  std::string_view value = colon == std::string_view::npos ? "" : line.substr(colon + 1);
  if (value.starts_with(' ')) value.remove_prefix(1);
  if (field == "data") {
    if (std::exchange(has_data_, true)) next_.data += '\n';
    next_.data += value;
  } else if (field == "event") {
    next_.name = value;
  } else if (field == "id" && value.find('\0') == std::string_view::npos) {
    next_.id = value;
  }
}

}  // namespace sf::wire
