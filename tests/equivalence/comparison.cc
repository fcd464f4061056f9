#include "comparison.h"

#include <algorithm>
#include <cctype>

namespace sf::equivalence {
namespace {

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    std::size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

bool is_number(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(),
                                      [](unsigned char c) { return std::isdigit(c) != 0; });
}

// "[1] 4711", as bash announces a job.
bool announces_a_job(std::string_view line) {
  std::size_t end = line.find("] ");
  return line.starts_with("[") && end != std::string_view::npos &&
         is_number(line.substr(1, end - 1)) && is_number(line.substr(end + 2));
}

std::string masked_line(std::string_view line) {
  if (announces_a_job(line)) return std::string(line.substr(0, line.find(' '))) + " PID";
  if (line.starts_with("Date: ")) return "Date: NOW";
  return std::string(line);
}

std::string in_quotes(std::string_view text) {
  std::string result;
  for (std::string_view line : lines_of(text)) result += "    | " + std::string(line) + "\n";
  return result.empty() ? "    (nothing)\n" : result;
}

}  // namespace

std::string mask(std::string_view output) {
  std::string result;
  for (std::string_view line : lines_of(output)) result += masked_line(line) + "\n";
  if (!output.ends_with('\n') && !result.empty()) result.pop_back();
  return result;
}

std::string difference(const Observations& expected, const Observations& got) {
  std::string text;
  for (std::size_t index = 0; index < std::max(expected.size(), got.size()); ++index) {
    if (index >= expected.size()) {
      text += "  unexpected command: " + got[index].command + "\n";
    } else if (index >= got.size()) {
      text += "  command that was not run: " + expected[index].command + "\n";
    } else if (expected[index].command != got[index].command) {
      text += "  other command: " + got[index].command +
              "\n  instead of: " + expected[index].command + "\n";
    } else {
      const Observation& wanted = expected[index];
      const Observation& seen = got[index];
      if (wanted.exit_code == seen.exit_code && mask(wanted.output) == mask(seen.output)) continue;
      text += "  command: " + wanted.command + "\n  expected, exit " +
              std::to_string(wanted.exit_code) + ":\n" + in_quotes(wanted.output) + "  got, exit " +
              std::to_string(seen.exit_code) + ":\n" + in_quotes(seen.output);
    }
  }
  return text;
}

}  // namespace sf::equivalence
