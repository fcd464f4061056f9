// Lines: the result does not depend on how the bytes are split. Only lines that are too long are
// dropped.
#include "mcp/line_reader.h"

#include "input.h"

namespace sf::fuzz {
namespace {

using cli::mcp::Line;

std::vector<Line> lines_of(const std::vector<std::string_view>& pieces, std::size_t max_line) {
  cli::mcp::LineReader reader(max_line);
  std::vector<Line> all;
  auto add = [&](std::vector<Line> lines) {
    for (Line& line : lines) all.push_back(std::move(line));
  };
  for (std::string_view piece : pieces) add(reader.feed(piece));
  add(reader.finish());
  return all;
}

}  // namespace

void line_reader(std::string_view input) {
  Input in(input);
  const std::size_t largest = in.byte();
  const std::size_t max_line = in.byte();
  std::string_view bytes = in.rest();
  std::vector<Line> whole = lines_of({bytes}, max_line);
  std::vector<Line> cut_up = lines_of(cut(bytes, largest), max_line);
  SF_CHECK(whole.size() == cut_up.size());
  for (std::size_t i = 0; i < whole.size(); ++i) {
    SF_CHECK(whole[i].text == cut_up[i].text && whole[i].too_long == cut_up[i].too_long);
    std::size_t end = std::min(bytes.find('\n'), bytes.size());
    SF_CHECK(whole[i].too_long == (end > max_line));
    SF_CHECK(whole[i].text == (whole[i].too_long ? "" : bytes.substr(0, end)));
    bytes.remove_prefix(std::min(end + 1, bytes.size()));
  }
  SF_CHECK(bytes.empty());
}

}  // namespace sf::fuzz
