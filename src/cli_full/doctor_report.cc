#include "cli_full/doctor_report.h"

#include <algorithm>

namespace sf::cli {
namespace {

constexpr std::size_t kWidestNeed =
    50;  // a longer need, such as a deep path, moves only its own detail

const char* mark(waypoint::FindingState state) {
  switch (state) {
    case waypoint::FindingState::kOk:
      return "✓";
    case waypoint::FindingState::kWarning:
      return "!";
    case waypoint::FindingState::kMissing:
      return "✗";
  }
  return "?";
}

// Control characters in kernel messages or paths must not break the report's lines.
std::string on_one_line(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
  return text;
}

}  // namespace

std::string doctor_report(const std::vector<waypoint::Finding>& findings) {
  std::size_t width = 0;
  for (const auto& finding : findings)
    width = std::max(width, std::min(finding.need.size(), kWidestNeed));

  std::string text;
  for (const auto& finding : findings) {
    std::string need = on_one_line(finding.need);
    need.resize(std::max(need.size(), width), ' ');
    text +=
        std::string(mark(finding.state)) + " " + need + "  " + on_one_line(finding.detail) + "\n";
    if (finding.state == waypoint::FindingState::kOk) continue;
    text += "    costs: " + on_one_line(finding.cost) + "\n";
    if (!finding.fix.empty()) text += "    fix:   " + on_one_line(finding.fix) + "\n";
  }
  return text + "\n" + waypoint::summarize(findings) + "\n";
}

}  // namespace sf::cli
