#include "table.h"

#include <algorithm>

namespace sf::bench {
namespace {

std::vector<std::size_t> widths_of(const Table& table) {
  std::vector<std::size_t> widths;
  for (const std::string& column : table.columns)
    widths.push_back(std::max<std::size_t>(column.size(), 3));
  for (const auto& row : table.rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  return widths;
}

std::string line_of(const std::vector<std::string>& cells, const std::vector<std::size_t>& widths,
                    Layout layout) {
  std::string line = layout == Layout::kMarkdown ? "| " : "  ";
  for (std::size_t i = 0; i < cells.size(); ++i) {
    std::string padding(widths[i] - cells[i].size(), ' ');
    if (i > 0) line += layout == Layout::kMarkdown ? " | " : "  ";
    line += i == 0 ? cells[i] + padding : padding + cells[i];
  }
  return line + (layout == Layout::kMarkdown ? " |\n" : "\n");
}

std::string rule_of(const std::vector<std::size_t>& widths, Layout layout) {
  std::string line = layout == Layout::kMarkdown ? "|" : "  ";
  for (std::size_t i = 0; i < widths.size(); ++i) {
    if (layout == Layout::kMarkdown) {
      line += "-" + std::string(widths[i], '-') + (i == 0 ? "-|" : ":|");
    } else {
      line += (i == 0 ? "" : "  ") + std::string(widths[i], '-');
    }
  }
  return line + "\n";
}

}  // namespace

std::string render(const Table& table, Layout layout) {
  std::vector<std::size_t> widths = widths_of(table);
  std::string text =
      layout == Layout::kMarkdown ? "### " + table.title + "\n\n" : table.title + "\n";
  text += line_of(table.columns, widths, layout) + rule_of(widths, layout);
  for (const auto& row : table.rows) text += line_of(row, widths, layout);
  if (!table.remarks.empty() && layout == Layout::kMarkdown) text += "\n";
  for (const std::string& remark : table.remarks)
    text += (layout == Layout::kMarkdown ? "- " : "  ") + remark + "\n";
  return text + "\n";
}

}  // namespace sf::bench
