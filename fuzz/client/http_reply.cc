// HTTP replies: the result does not depend on how the bytes are split.
#include "client/http_reply.h"

#include <string>

#include "input.h"

namespace sf::fuzz {
namespace {

struct Heard {
  int status = 0;
  std::string body;
  bool failed = false;
  bool is_complete = false;
  bool keeps_connection = false;
};

Heard listen(const std::vector<std::string_view>& pieces) {
  Heard heard;
  client::HttpReplyReader reader;
  for (std::string_view piece : pieces) {
    auto fed = reader.feed(piece, [&](std::string_view body) { heard.body += body; });
    if (fed) continue;
    check_clear(fed.error(), ErrorCode::kCorrupt);
    heard.failed = true;
    return heard;
  }
  heard.status = reader.status();
  heard.is_complete = reader.is_complete();
  heard.keeps_connection = reader.keeps_connection();
  return heard;
}

}  // namespace

void http_reply(std::string_view input) {
  Input in(input);
  std::size_t largest = in.byte();
  std::string_view bytes = in.rest();
  Heard whole = listen({bytes});
  Heard cut_up = listen(cut(bytes, largest));
  SF_CHECK(whole.failed == cut_up.failed);
  SF_CHECK(whole.body.size() <= bytes.size());
  if (whole.failed) return;
  SF_CHECK(whole.status == cut_up.status);
  SF_CHECK(whole.body == cut_up.body);
  SF_CHECK(whole.is_complete == cut_up.is_complete);
  SF_CHECK(whole.keeps_connection == cut_up.keeps_connection);
}

}  // namespace sf::fuzz
