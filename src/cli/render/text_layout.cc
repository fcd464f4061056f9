#include "cli/render/text_layout.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace sf::cli {
namespace {

using wire::Json;

template <typename... Values>
std::string formatted(const char* format, Values... values) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), format, values...);
  return text.data();
}

// The approximate width on the screen: one column for each character.
std::size_t width(std::string_view text) {
  auto starts = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; };
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), starts));
}

bool has_unit(std::string_view key, std::string_view unit) { return key.ends_with(unit); }

std::string value_text(const std::string& key, const Json& value) {
  if (value.is_number_integer() && value >= 0 && has_unit(key, "bytes"))
    return size_text(value.get<std::uint64_t>());
  if (value.is_number_integer() && has_unit(key, "_us"))
    return duration_text(value.get<std::int64_t>());
  if (value.is_string() && value != "")
    return one_line(has_unit(key, "_at") ? time_text(value.get<std::string>())
                                         : value.get<std::string>());
  if (value.empty() || value == "") return "-";
  if (!value.is_array()) return value.dump();
  std::string text;
  for (const Json& one : value) text += (text.empty() ? "" : ", ") + value_text(key, one);
  return text;
}

void add_facts(const std::string& prefix, const Json& object, std::vector<Row>& rows) {
  for (const auto& [key, value] : object.items()) {
    if (value.is_object()) {
      add_facts(prefix + one_line(key) + ".", value, rows);
    } else {
      rows.push_back({prefix + one_line(key), value_text(key, value)});
    }
  }
}

}  // namespace

std::string size_text(std::uint64_t bytes) {
  constexpr std::array kUnits = {"B", "KB", "MB", "GB", "TB"};
  auto size = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (size >= 1000 && unit + 1 < kUnits.size()) {
    size /= 1000;
    ++unit;
  }
  return formatted(unit == 0 ? "%.0f %s" : "%.1f %s", size, kUnits[unit]);
}

std::string duration_text(std::int64_t microseconds) {
  if (microseconds < 1'000'000) return formatted("%lld ms", (microseconds + 999LL) / 1000);
  const long long seconds = microseconds / 1'000'000;
  if (seconds < 60) return formatted("%lld.%lld s", seconds, (microseconds / 100'000LL) % 10);
  if (seconds < 3600) return formatted("%lld min %lld s", seconds / 60, seconds % 60);
  return formatted("%lld h %lld min", seconds / 3600, seconds / 60 % 60);
}

std::string time_text(std::string_view iso) {
  std::string text(iso.substr(0, 19));
  std::replace(text.begin(), text.end(), 'T', ' ');
  return text;
}

std::string visible(std::string_view text) {
  std::string shown;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const bool is_plain = byte >= ' ' || byte == '\t' || byte == '\n';
    if (byte == 0xC2 && i + 1 < text.size() && (text[i + 1] & '\xE0') == '\x80') {  // C1 control
      shown += {'^', '[', static_cast<char>(static_cast<unsigned char>(text[++i]) ^ 0xC0U)};
    } else if (!is_plain || byte == 0x7f) {
      shown += {'^', static_cast<char>(byte ^ 0x40U)};
    } else {
      shown += text[i];
    }
  }
  return shown;
}

std::string one_line(std::string_view text, std::size_t max_bytes) {
  std::string line;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const bool starts_character = (byte & 0xC0U) != 0x80U;
    if (line.size() >= max_bytes && starts_character) return line + "...";
    // U+0080 to U+009F: C1 controls, which begin escape sequences on some terminals.
    const bool is_c1 = byte == 0xC2 && i + 1 < text.size() && (text[i + 1] & '\xE0') == '\x80';
    if (is_c1) ++i;
    line += is_c1 || byte < ' ' || byte == 0x7F ? ' ' : text[i];
  }
  return line;
}

std::string columns(const std::vector<Row>& rows) {
  std::vector<std::size_t> widths(rows.empty() ? 0 : rows.front().size());
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width(row[i]));
  }
  std::string text;
  for (const Row& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += row[i];
      if (i + 1 < row.size()) line += std::string(widths[i] - width(row[i]) + 2, ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

std::string facts_text(const Json& object) {
  std::vector<Row> rows;
  add_facts("", object, rows);
  return columns(rows);
}

}  // namespace sf::cli
