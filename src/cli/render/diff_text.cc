#include "cli/render/diff_text.h"

#include <array>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "base/split.h"
#include "cli/render/text_layout.h"

namespace sf::cli {
namespace {

using wire::Json;

struct Section {
  std::string_view subject;
  std::string_view title;
  std::string_view one;  // the singular
  std::string_view many;
};

constexpr std::array kSections = {
    Section{"file", "Files", "file", "files"},
    Section{"process", "Processes", "process", "processes"},
    Section{"port", "Listening ports", "port", "ports"},
    Section{"environment", "Environment", "variable", "variables"},
    Section{"cwd", "Working directory", "working directory", "working directory"},
};

constexpr std::string_view kBold = "\x1b[1m";
constexpr std::string_view kRed = "\x1b[31m";
constexpr std::string_view kGreen = "\x1b[32m";
constexpr std::string_view kCyan = "\x1b[36m";
constexpr std::string_view kPlain = "\x1b[m";

std::string painted(std::string_view text, std::string_view colour, Colours colours) {
  if (colours != Colours::kOn || colour.empty()) return std::string(text);
  return std::string(colour) + std::string(text) + std::string(kPlain);
}

char sign_of(const Json& difference) {
  const std::string kind = difference.value("kind", "");
  return kind == "added" ? '+' : kind == "removed" ? '-' : '~';
}

std::string_view colour_of(char sign) {
  return sign == '+' ? kGreen : sign == '-' ? kRed : std::string_view();
}

// The differing parts of "file, mode 0644, 2 bytes" and "file, mode 0755, 2 bytes".
std::string attributes_text(const std::string& before, const std::string& after) {
  auto old_parts = split(before, ',');
  auto new_parts = split(after, ',');
  if (old_parts.size() != new_parts.size()) return before + " -> " + after;
  std::string text;
  for (std::size_t i = 0; i < old_parts.size(); ++i) {
    if (old_parts[i] == new_parts[i]) continue;
    text += (text.empty() ? "" : ",") + old_parts[i] + " ->" + new_parts[i];
  }
  return text.starts_with(' ') ? text.substr(1) : text;
}

struct LineCount {
  std::size_t added = 0;
  std::size_t removed = 0;
};

LineCount count_lines(const std::string& patch) {
  LineCount count;
  bool in_hunk = false;
  for (std::string_view line : split(patch, '\n')) {
    in_hunk = in_hunk || line.starts_with("@@");
    count.added += in_hunk && line.starts_with('+') ? 1 : 0;
    count.removed += in_hunk && line.starts_with('-') ? 1 : 0;
  }
  return count;
}

std::string difference_text(const Json& difference, DiffDetail detail) {
  const std::string subject = difference.value("subject", "");
  const std::string name = difference.value("name", "");
  const std::string before = difference.value("before", "");
  const std::string after = difference.value("after", "");
  const char sign = sign_of(difference);
  const std::string& there = sign == '-' ? before : after;
  if (subject == "cwd") return before + " -> " + after;
  if (subject == "environment")
    return sign == '~' ? name + ": " + before + " -> " + after : name + "=" + there;
  std::string details = sign == '~' ? attributes_text(before, after) : there;
  const LineCount lines = count_lines(difference.value("patch", ""));
  if (detail == DiffDetail::kStat && lines.added + lines.removed > 0)
    details += (details.empty() ? "lines +" : ", lines +") + std::to_string(lines.added) + " -" +
               std::to_string(lines.removed);
  return details.empty() ? name : name + "  " + details;
}

std::string patch_text(const std::string& patch, Colours colours) {
  if (colours == Colours::kOff) return patch.empty() || patch.back() == '\n' ? patch : patch + '\n';
  std::string text;
  bool in_hunk = false;
  for (std::string_view line : split(patch, '\n')) {
    in_hunk = in_hunk || line.starts_with("@@");
    std::string_view colour = !in_hunk                ? kBold
                              : line.starts_with('@') ? kCyan
                              : line.empty()          ? std::string_view()
                                                      : colour_of(line.front());
    text += painted(visible(line), colour, colours) + '\n';
  }
  return text;
}

std::string section_text(const std::vector<const Json*>& differences, DiffDetail detail,
                         Colours colours) {
  std::string text;
  for (const Json* one : differences) {
    const char sign = sign_of(*one);
    const std::string line = std::string(1, sign) + " " + one_line(difference_text(*one, detail));
    text += "  " + painted(line, colour_of(sign), colours) + "\n";
    if (detail == DiffDetail::kPatches) text += patch_text(one->value("patch", ""), colours);
  }
  return text;
}

}  // namespace

std::string diff_text(const Json& diff, DiffDetail detail, Colours colours) {
  std::string text;
  std::string sum;
  for (const Section& section : kSections) {
    std::vector<const Json*> differences;
    for (const Json& one : diff.at("differences")) {
      if (one.value("subject", "") == section.subject) differences.push_back(&one);
    }
    if (differences.empty()) continue;
    if (detail == DiffDetail::kFileNames) {
      for (const Json* one : differences) {
        if (section.subject == "file") text += one_line(one->value("name", "")) + "\n";
      }
      continue;
    }
    text +=
        painted(section.title, kBold, colours) + "\n" + section_text(differences, detail, colours);
    sum += (sum.empty() ? "" : ", ") +
           (section.subject == "cwd" ? "" : std::to_string(differences.size()) + " ") +
           std::string(differences.size() == 1 ? section.one : section.many);
  }
  if (detail == DiffDetail::kStat && !sum.empty()) text += "changed: " + sum + "\n";
  return text;
}

}  // namespace sf::cli
