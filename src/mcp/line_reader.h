// LineReader: splits a stream of bytes into lines of limited length. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace sf::cli::mcp {

struct Line {
  std::string text;       // without its line end
  bool too_long = false;  // then `text` is empty
};

class LineReader {
 public:
  explicit LineReader(std::size_t max_line) : max_line_(max_line) {}

  // Returns the lines that these bytes complete.
  std::vector<Line> feed(std::string_view bytes);
  // Call at the end of the stream. Returns the last line if it had no line end.
  std::vector<Line> finish();

 private:
  void add(std::string_view part);
  Line take();

  std::size_t max_line_;
  std::string line_;
  bool too_long_ = false;
};

}  // namespace sf::cli::mcp
