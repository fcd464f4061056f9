// Table: rows of text, printed as aligned columns or as Markdown. Pure.
#pragma once

#include <string>
#include <vector>

namespace sf::bench {

enum class Layout { kAligned, kMarkdown };

struct Table {
  std::string title;
  std::vector<std::string> columns;  // first column left-aligned, others right-aligned
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> remarks;
};

std::string render(const Table& table, Layout layout);

}  // namespace sf::bench
