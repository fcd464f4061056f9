#include "table_page.h"

#include "base/split.h"
#include "known_differences.h"
#include "os/file.h"

namespace sf::test {
namespace {

constexpr const char* kIntroduction =
    R"(# The equivalence table, over every backend

`tests/substrates/table_test.cc` writes this page, one backend at a time (`tools/dev table NAME`).
Each scenario of `tests/equivalence` is prepared in a session of the backend, kept, disturbed and
restored. A cell has the number of scenarios with the same output of the probe before and after.

)";

// "| `docker` | ..." gives docker; other lines give an empty string.
std::string backend_of(const std::string& line) {
  if (!line.starts_with("| `")) return {};
  return line.substr(3, line.find('`', 3) - 3);
}

}  // namespace

Status write_row(const std::string& path, const std::string& backend,
                 const std::map<std::string, FamilyCount>& counts) {
  std::map<std::string, std::string> rows;
  if (auto old = os::read_file(path)) {
    for (const std::string& line : split(*old, '\n')) {
      if (!backend_of(line).empty()) rows[backend_of(line)] = line;
    }
  }
  std::string names = "| backend |";
  std::string rule = "|---|";
  std::string& row = rows[backend] = "| `" + backend + "` |";
  for (const auto& [family, count] : counts) {
    names += " " + family + " |";
    rule += "---|";
    row += " " + std::to_string(count.came_back) + " of " + std::to_string(count.tried) + " |";
  }
  std::string text = kIntroduction + names + "\n" + rule + "\n";
  for (const auto& [name, line] : rows) text += line + "\n";
  text +=
      "\nExceptions from the claims of each backend:\n\n| backend | exception | scenarios "
      "|\n|---|---|---|\n";
  for (const KnownDifference& known : known_differences()) {
    text += "| " + known.backend + " | " + known.why + " | ";
    for (std::size_t i = 0; i < known.scenarios.size(); ++i)
      text += (i == 0 ? "" : ", ") + known.scenarios[i];
    text += " |\n";
  }
  return os::publish_file(path, text);
}

}  // namespace sf::test
