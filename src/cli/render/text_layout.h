// Formats numbers, names and tables for people. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "wire/json.h"

namespace sf::cli {

// "1.5 MB"
std::string size_text(std::uint64_t bytes);
// "8 ms", "2.5 s", "3 min 20 s"
std::string duration_text(std::int64_t microseconds);
// "2026-01-31 12:00:00" from the API's time, which is UTC.
std::string time_text(std::string_view iso);

// One line that is safe for a terminal: control characters become spaces. Longer text is cut
// between characters and ends in "...".
std::string one_line(std::string_view text, std::size_t max_bytes = std::string::npos);

// Text that is safe for a terminal: control characters other than tabs and line ends are shown as
// `cat -v` does.
std::string visible(std::string_view text);

using Row = std::vector<std::string>;
// Columns as wide as their widest cell, two spaces apart. Requires: rows of the same length.
std::string columns(const std::vector<Row>& rows);

// Each number, text and list of the object on its own line ("nodes  12"), nested ones as
// "outer.inner". Values of keys that end in bytes or _us get a unit.
std::string facts_text(const wire::Json& object);

}  // namespace sf::cli
