#include "control/names.h"

#include <algorithm>

namespace sf::control {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// A bounded, printable excerpt for the message: `name` may have any size and any bytes.
std::string printable(std::string_view name) {
  std::string text;
  for (char c : name.substr(0, kMaxName)) text += c >= ' ' && c <= '~' ? c : '?';
  return name.size() > kMaxName ? text + "..." : text;
}

bool looks_like_node_id(std::string_view name) {
  return name.size() > 1 && name.front() == 'n' &&
         std::all_of(name.begin() + 1, name.end(), is_digit);
}

bool is_head(std::string_view name) {
  return name.size() == 4 && (name[0] | 0x20) == 'h' && (name[1] | 0x20) == 'e' &&
         (name[2] | 0x20) == 'a' && (name[3] | 0x20) == 'd';
}

}  // namespace

Status check_name(std::string_view name, std::string_view what) {
  auto refuse = [&](std::string_view why) -> Status {
    return invalid(std::string(what) + " '" + printable(name) + "' " + std::string(why),
                   "use 1 to 64 letters, digits, '-' or '_', a letter or digit first");
  };
  if (name.empty()) return refuse("is empty");
  if (name.size() > kMaxName) return refuse("is too long");
  if (!is_letter(name.front()) && !is_digit(name.front()))
    return refuse("starts with an invalid character");
  for (char c : name) {
    if (!is_letter(c) && !is_digit(c) && c != '-' && c != '_')
      return refuse("has an invalid character");
  }
  if (is_head(name)) return refuse("is reserved for the node of a branch");
  if (looks_like_node_id(name)) return refuse("looks like a node's id");
  return Ok{};
}

}  // namespace sf::control
