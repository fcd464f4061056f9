// Server-sent events: do not depend on how the stream is split, and survive a round trip.
#include "wire/event_stream.h"

#include <string>

#include "base/split.h"
#include "input.h"

namespace sf::fuzz {
namespace {

struct Heard {
  std::vector<wire::ServerEvent> events;
  bool failed = false;
};

Heard listen(const std::vector<std::string_view>& pieces, std::size_t max_event) {
  Heard heard;
  wire::EventStreamReader reader(max_event);
  for (std::string_view piece : pieces) {
    auto events = reader.feed(piece);
    if (!events) {
      check_clear(events.error(), ErrorCode::kCorrupt);
      heard.failed = true;
      return heard;
    }
    for (wire::ServerEvent& event : *events) heard.events.push_back(std::move(event));
  }
  return heard;
}

void check_same(const wire::ServerEvent& a, const wire::ServerEvent& b) {
  SF_CHECK(a.name == b.name);
  SF_CHECK(a.data == b.data);
  SF_CHECK(a.id == b.id);
}

std::string written(const wire::ServerEvent& event) {
  std::string text = "event: " + event.name + "\n";
  if (!event.id.empty()) text += "id: " + event.id + "\n";
  for (const std::string& line : split(event.data + "\n", '\n')) text += "data: " + line + "\n";
  return text + "\n";
}

}  // namespace

void event_stream(std::string_view input) {
  Input in(input);
  std::size_t largest = in.byte();
  std::size_t max_event = in.word();
  std::string_view bytes = in.rest();
  Heard whole = listen({bytes}, max_event);
  Heard cut_up = listen(cut(bytes, largest), max_event);
  SF_CHECK(whole.failed == cut_up.failed);
  if (whole.failed) return;
  SF_CHECK(whole.events.size() == cut_up.events.size());
  for (std::size_t i = 0; i < whole.events.size(); ++i) {
    const wire::ServerEvent& event = whole.events[i];
    check_same(event, cut_up.events[i]);
    SF_CHECK(event.data.size() <= max_event);
    Heard again = listen({written(event)}, wire::EventStreamReader::kMaxEvent);
    SF_CHECK(again.events.size() == 1);
    check_same(event, again.events[0]);
  }
}

}  // namespace sf::fuzz
