#include "terminal/terminal_answers.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>

#include "terminal/csi_sequence.h"
#include "terminal/terminal_colours.h"

namespace sf::waypoint {
namespace {

// The answers of xterm 370. Level 2 (VT220): selective erase and colours.
constexpr std::string_view kDeviceAttributes = "\x1b[?62;6;22c";
constexpr std::string_view kSecondAttributes = "\x1b[>41;370;0c";
constexpr std::string_view kVersion = "\x1bP>|XTerm(370)\x1b\\";
constexpr std::string_view kName = "xterm-256color";
// The emulator has no pixels. These are the cell sizes of a common font.
constexpr int kCellHeight = 16;
constexpr int kCellWidth = 8;

std::string csi(std::string_view leader, std::initializer_list<int> numbers,
                std::string_view final) {
  std::string text = "\x1b[" + std::string(leader);
  bool is_first = true;
  for (const int number : numbers) {
    if (!std::exchange(is_first, false)) text += ';';
    text += std::to_string(number);
  }
  return text + std::string(final);
}

std::string cursor_report(const Emulator& emulator, bool is_private) {
  const Cursor cursor = emulator.cursor();
  const TerminalModes& modes = emulator.modes();
  int row = cursor.row + 1;
  int col = cursor.col + 1;
  if (modes.is_origin) {
    row -= std::max(modes.rows.first, 1) - 1;
    if (modes.has(69)) col -= std::max(modes.cols.first, 1) - 1;
  }
  return is_private ? csi("?", {row, col, 1}, "R") : csi("", {row, col}, "R");
}

std::string status_report(const CsiSequence& asked, const Emulator& emulator) {
  const int what = asked.argument(0, 0);
  if (asked.leader() == 0) {
    if (what == 5) return "\x1b[0n";
    return what == 6 ? cursor_report(emulator, false) : "";
  }
  switch (what) {
    case 6:
      return cursor_report(emulator, true);
    case 15:
      return "\x1b[?13n";  // no printer
    case 25:
      return "\x1b[?20n";  // user-defined keys are unlocked
    case 26:
      return "\x1b[?27;1;0;0n";  // North American keyboard
    case 53:
    case 55:
      return "\x1b[?53n";  // no locator
    default:
      return "";
  }
}

std::string window_report(int what, WindowSize size) {
  const int rows = size.rows;
  const int cols = size.cols;
  switch (what) {
    case 11:
      return "\x1b[1t";  // not an icon
    case 13:
      return "\x1b[3;0;0t";
    case 14:
      return csi("", {4, rows * kCellHeight, cols * kCellWidth}, "t");
    case 15:
      return csi("", {5, rows * kCellHeight, cols * kCellWidth}, "t");
    case 16:
      return csi("", {6, kCellHeight, kCellWidth}, "t");
    case 18:
      return csi("", {8, rows, cols}, "t");
    case 19:
      return csi("", {9, rows, cols}, "t");
    default:
      return "";
  }
}

// 0: unknown mode, 1: set, 2: reset.
std::string mode_report(const CsiSequence& asked, const Emulator& emulator) {
  const int mode = asked.argument(0, 0);
  const TerminalModes& modes = emulator.modes();
  const auto state = [](bool on) { return on ? 1 : 2; };
  if (asked.leader() == 0) {
    int known = 0;
    if (mode == 4) known = state(modes.is_insert);
    if (mode == 20) known = state(modes.is_newline);
    return csi("", {mode, known}, "$y");
  }
  int known = is_followed_mode(mode) ? state(modes.has(mode)) : 0;
  if (mode == 6) known = state(modes.is_origin);
  if (mode == 25) known = state(emulator.cursor().is_visible);
  if (mode == 66) known = state(modes.is_keypad || modes.has(66));
  if (mode == 47 || mode == 1047 || mode == 1049) known = state(emulator.is_alternate());
  return csi("?", {mode, known}, "$y");
}

std::string csi_answer(const TerminalQuery& query, const Emulator& emulator, WindowSize size) {
  const CsiSequence asked(query.body);
  if (query.final == 'p') return mode_report(asked, emulator);
  if (query.final == 'n') return status_report(asked, emulator);
  if (asked.leader() == '>' && query.final == 'q')
    return asked.argument(0, 0) == 0 ? std::string(kVersion) : "";
  if (query.final == 'c' && asked.argument(0, 0) == 0) {
    if (asked.leader() == '>') return std::string(kSecondAttributes);
    if (asked.leader() == '=') return "\x1bP!|00000000\x1b\\";
    if (asked.leader() == 0) return std::string(kDeviceAttributes);
  }
  if (asked.leader() != 0) return "";
  if (query.final == 't') return window_report(asked.argument(0, 0), size);
  if (query.final == 'x' && asked.argument(0, 0) <= 1)
    return csi("", {asked.argument(0, 0) + 2, 1, 1, 128, 128, 1, 0}, "x");
  return "";
}

std::string osc_answer(const TerminalQuery& query, const TerminalColours& colours) {
  const std::string_view end = query.is_bell ? "\a" : "\x1b\\";
  std::vector<std::string> words;
  for (std::size_t at = 0; at <= query.body.size();) {
    const std::size_t next = std::min(query.body.find(';', at), query.body.size());
    words.emplace_back(query.body.substr(at, next - at));
    at = next + 1;
  }
  const auto number = [](const std::string& word) {
    if (word.empty() || word.size() > 3) return -1;
    int value = 0;
    for (const char c : word) {
      if (c < '0' || c > '9') return -1;
      value = value * 10 + (c - '0');
    }
    return value;
  };
  const int what = number(words[0]);
  std::string answer;
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (what == 4) {  // pairs of an index and a colour
      const int index = number(words[i]);
      ++i;
      if (i < words.size() && words[i] == "?" && index >= 0 &&
          index < TerminalColours::kPaletteSize)
        answer += "\x1b]4;" + std::to_string(index) + ";" + colour_text(colours.palette(index)) +
                  std::string(end);
    } else if (words[i] == "?" && what >= TerminalColours::kFirstText) {
      // The first word is for colour `what`, the next one for the next number, and so on.
      const int which = what + static_cast<int>(i) - 1;
      if (which > TerminalColours::kLastText) break;
      answer += "\x1b]" + std::to_string(which) + ";" + colour_text(colours.text(which)) +
                std::string(end);
    }
  }
  return what == 52 ? "" : answer;
}

std::string setting_answer(std::string_view what, const Emulator& emulator, WindowSize size) {
  const TerminalModes& modes = emulator.modes();
  std::string value;
  if (what == "m") {
    append_pen(value, emulator.cursor().pen);
    std::string numbers;  // the arguments of all its sequences
    for (std::size_t at = 0; at < value.size();) {
      const std::size_t end = value.find('m', at);
      numbers += (numbers.empty() ? "" : ";") + value.substr(at + 2, end - at - 2);
      at = end + 1;
    }
    value = numbers + "m";
  } else if (what == "r") {
    const int first = modes.rows.first == 0 ? 1 : modes.rows.first;
    const int last = modes.rows.first == 0 ? size.rows : modes.rows.second;
    value = std::to_string(first) + ";" + std::to_string(last) + "r";
  } else if (what == "s" && modes.has(69)) {
    const int first = modes.cols.first == 0 ? 1 : modes.cols.first;
    const int last = modes.cols.first == 0 ? size.cols : modes.cols.second;
    value = std::to_string(first) + ";" + std::to_string(last) + "s";
  } else if (what == " q") {
    value = std::to_string(modes.cursor_style) + " q";
  } else if (what == "\"p") {
    value = "62;1\"p";
  } else {
    return "\x1bP0$r\x1b\\";
  }
  return "\x1bP1$r" + value + "\x1b\\";
}

std::string from_hex(std::string_view text) {
  std::string bytes;
  const auto digit = [](char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
  };
  for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
    const int high = digit(text[i]);
    const int low = digit(text[i + 1]);
    if (high < 0 || low < 0) return {};
    bytes += static_cast<char>(high * 16 + low);
  }
  return bytes;
}

std::string to_hex(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02X", static_cast<unsigned>(c) & 0xffU);
    text += digits;
  }
  return text;
}

// XTGETTCAP. As in xterm, the answer ends at the first unknown name.
std::string capability_answer(std::string_view names) {
  std::string known;
  while (true) {
    const std::size_t end = std::min(names.find(';'), names.size());
    const std::string name = from_hex(names.substr(0, end));
    std::string_view value;
    if (name == "TN" || name == "name") value = kName;
    if (name == "Co" || name == "colors") value = "256";
    if (value.empty()) break;
    known += (known.empty() ? "" : ";") + std::string(names.substr(0, end)) + "=" + to_hex(value);
    if (end == names.size()) break;
    names.remove_prefix(end + 1);
  }
  return known.empty() ? "\x1bP0+r\x1b\\" : "\x1bP1+r" + known + "\x1b\\";
}

}  // namespace

std::string answer_query(const TerminalQuery& query, const Emulator& emulator, WindowSize size) {
  switch (query.kind) {
    case TerminalQuery::Kind::kEscape:
      return std::string(kDeviceAttributes);
    case TerminalQuery::Kind::kCsi:
      return csi_answer(query, emulator, size);
    case TerminalQuery::Kind::kOsc:
      return osc_answer(query, emulator.colours());
    case TerminalQuery::Kind::kDcs:
      return query.body.starts_with("$q") ? setting_answer(query.body.substr(2), emulator, size)
                                          : capability_answer(query.body.substr(2));
  }
  return {};
}

std::string without_answers(std::string queue, std::vector<std::size_t>& ends,
                            const std::vector<std::string>& answers) {
  const auto erase = [&](std::size_t at, std::size_t size) {
    queue.erase(at, size);
    const auto own = std::ranges::upper_bound(ends, at);
    if (own != ends.end() && *own <= at + size) ends.erase(own);
    for (std::size_t& end : ends) {
      if (end > at) end = std::max(at, end - std::min(end, size));
    }
  };
  for (auto answer = answers.rbegin(); answer != answers.rend(); ++answer) {
    if (const std::size_t at = queue.rfind(*answer); at != std::string::npos) {
      erase(at, answer->size());
      continue;
    }
    // The program may have read the start of the answer.
    for (std::size_t read = 1; read < answer->size(); ++read) {
      const std::string_view rest = std::string_view(*answer).substr(read);
      if (!queue.starts_with(rest)) continue;
      erase(0, rest.size());
      break;
    }
  }
  return queue;
}

}  // namespace sf::waypoint
