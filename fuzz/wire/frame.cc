// Frames: do not depend on how the bytes are split, and survive a round trip.
#include "wire/frame.h"

#include <string>

#include "input.h"

namespace sf::fuzz {
namespace {

struct Heard {
  std::vector<wire::Frame> frames;
  bool failed = false;
};

Heard listen(const std::vector<std::string_view>& pieces) {
  Heard heard;
  wire::FrameReader reader;
  for (std::string_view piece : pieces) {
    reader.feed(piece);
    for (;;) {
      auto frame = reader.next();
      if (!frame) {
        check_clear(frame.error(), ErrorCode::kCorrupt);
        heard.failed = true;
        return heard;
      }
      if (!*frame) break;
      heard.frames.push_back(std::move(**frame));
    }
  }
  return heard;
}

void check_same(const wire::Frame& a, const wire::Frame& b) {
  SF_CHECK(a.header == b.header);
  SF_CHECK(a.payload == b.payload);
}

// An error in a header has a message and survives a round trip.
void check_error(const wire::Json& json) {
  Error error = wire::error_from_json(json);
  check_clear(error);
  Error again = wire::error_from_json(wire::error_to_json(error));
  SF_CHECK(again.code == error.code && again.os_errno == error.os_errno);
  SF_CHECK(again.message == error.message && again.hint == error.hint);
}

}  // namespace

void frame(std::string_view input) {
  Input in(input);
  std::size_t largest = in.byte();
  std::string_view bytes = in.rest();
  Heard whole = listen({bytes});
  Heard cut_up = listen(cut(bytes, largest));
  SF_CHECK(whole.failed == cut_up.failed);
  SF_CHECK(whole.frames.size() == cut_up.frames.size());
  for (std::size_t i = 0; i < whole.frames.size(); ++i) {
    const wire::Frame& one = whole.frames[i];
    check_same(one, cut_up.frames[i]);
    check_error(one.header);
    std::string sent = wire::encode_frame(one);
    Heard again = listen({sent});
    SF_CHECK(again.frames.size() == 1);
    check_same(one, again.frames[0]);
  }
}

}  // namespace sf::fuzz
