#include "shell/screen_message.h"

#include "wire/checked_int.h"

namespace sf::waypoint {

using wire::checked_int;
using wire::Frame;
using wire::Json;

Frame screen_frame(const ScreenText& text) {
  std::string rows;
  for (const std::string& row : text.rows) rows += row + "\n";
  return {{{"cursor_row", text.cursor_row},
           {"cursor_col", text.cursor_col},
           {"cursor_visible", text.cursor_visible},
           {"alternate_screen", text.alternate_screen},
           {"title", text.title},
           {"size_rows", text.size.rows},
           {"size_cols", text.size.cols}},
          std::move(rows)};
}

Result<ScreenText> screen_from_frame(const Frame& frame) {
  try {
    const Json& json = frame.header;
    ScreenText text;
    for (std::size_t at = 0, end = 0; (end = frame.payload.find('\n', at)) != std::string::npos;
         at = end + 1)
      text.rows.push_back(frame.payload.substr(at, end - at));
    text.cursor_row = checked_int<int>(json, "cursor_row");
    text.cursor_col = checked_int<int>(json, "cursor_col");
    text.cursor_visible = json.at("cursor_visible").get<bool>();
    text.alternate_screen = json.at("alternate_screen").get<bool>();
    text.title = json.at("title").get<std::string>();
    text.size = {checked_int<std::uint16_t>(json, "size_rows"),
                 checked_int<std::uint16_t>(json, "size_cols")};
    return text;
  } catch (const Json::exception& e) {
    return fail(ErrorCode::kCorrupt, std::string("the keeper's answer: ") + e.what());
  }
}

}  // namespace sf::waypoint
