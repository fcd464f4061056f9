#include "mcp/line_reader.h"

#include <utility>

namespace sf::cli::mcp {

std::vector<Line> LineReader::feed(std::string_view bytes) {
  std::vector<Line> lines;
  while (!bytes.empty()) {
    std::size_t end = bytes.find('\n');
    add(bytes.substr(0, end));
    if (end == std::string_view::npos) break;
    lines.push_back(take());
    bytes.remove_prefix(end + 1);
  }
  return lines;
}

std::vector<Line> LineReader::finish() {
  std::vector<Line> lines;
  if (!line_.empty() || too_long_) lines.push_back(take());
  return lines;
}

void LineReader::add(std::string_view part) {
  if (!too_long_ && line_.size() + part.size() <= max_line_) {
    line_ += part;
    return;
  }
  too_long_ = true;
  line_ = std::string();  // frees the memory
}

Line LineReader::take() {
  return {std::exchange(line_, std::string()), std::exchange(too_long_, false)};
}

}  // namespace sf::cli::mcp
