#include "explore/agents/llm/prompts.h"

#include <algorithm>
#include <optional>

#include "os/file.h"

namespace sf::explore::llm {
namespace {

constexpr std::size_t kMaxPrompt = 1U << 20U;
constexpr std::string_view kOpen = "{{";
constexpr std::string_view kClose = "}}";

struct Placeholder {
  std::size_t begin = 0;
  std::size_t end = 0;  // after the closing braces
  std::string_view name;
};

// A placeholder is letters and underscores in double braces. Other braces are text.
std::optional<Placeholder> next_placeholder(std::string_view text, std::size_t from) {
  while ((from = text.find(kOpen, from)) != std::string_view::npos) {
    const std::size_t name = from + kOpen.size();
    const std::size_t close = text.find_first_not_of("abcdefghijklmnopqrstuvwxyz_", name);
    if (close != std::string_view::npos && close > name && text.substr(close).starts_with(kClose))
      return Placeholder{from, close + kClose.size(), text.substr(name, close - name)};
    ++from;
  }
  return std::nullopt;
}

Status check_names(std::string_view text, const std::vector<std::string>& names) {
  std::size_t at = 0;
  while (auto found = next_placeholder(text, at)) {
    at = found->end;
    if (std::ranges::find(names, found->name) != names.end()) continue;
    std::string known;
    for (const std::string& name : names) known += (known.empty() ? "" : ", ") + name;
    return invalid("unknown placeholder {{" + std::string(found->name) + "}}",
                   "available: " + known);
  }
  return Ok{};
}

std::string trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return "";
  return std::string(text.substr(begin, text.find_last_not_of(kSpace) - begin + 1));
}

// The offset of the first line that equals `line`.
std::size_t find_line(std::string_view text, std::string_view line) {
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    if (trimmed(text.substr(begin, end - begin)) == line) return begin;
    begin = end + 1;
  }
  return std::string_view::npos;
}

// nullopt: the directory has no such file.
Result<std::optional<std::string>> read_text(const std::string& directory, const char* name) {
  if (directory.empty()) return std::optional<std::string>();
  const std::string path = directory + "/" + name;
  if (!os::exists(path)) return std::optional<std::string>();
  SF_TRY_ASSIGN(std::string text, os::read_file(path, kMaxPrompt));
  return std::optional(std::move(text));
}

}  // namespace

Result<Prompt> parse_prompt(std::string_view text, const std::vector<std::string>& names) {
  constexpr std::string_view kSystem = "# System";
  constexpr std::string_view kUser = "# User";
  const std::size_t system = find_line(text, kSystem);
  const std::size_t user = find_line(text, kUser);
  if (system == std::string_view::npos || user == std::string_view::npos || user < system)
    return invalid("a prompt needs a line \"# System\" followed by a line \"# User\"");
  SF_TRY(check_names(text, names));
  return Prompt{trimmed(text.substr(system + kSystem.size(), user - system - kSystem.size())),
                trimmed(text.substr(user + kUser.size()))};
}

std::string fill_in(std::string_view text, const PromptValues& values) {
  std::string filled;
  std::size_t at = 0;
  while (auto found = next_placeholder(text, at)) {
    filled += text.substr(at, found->begin - at);
    filled += values.find(found->name)->second;
    at = found->end;
  }
  return filled += text.substr(at);
}

Result<Prompts> load_prompts(const std::string& directory) {
  if (!directory.empty() && !os::is_directory(directory))
    return invalid(directory + " is not a directory");
  const PromptTexts built_in = built_in_prompts();
  bool has_own = directory.empty();
  auto load = [&](const char* file, std::string_view otherwise,
                  const char* name) -> Result<Prompt> {
    SF_TRY_ASSIGN(auto text, read_text(directory, file));
    has_own = has_own || text;
    auto prompt =
        parse_prompt(text ? std::string_view(*text) : otherwise, {"instruction", "history", name});
    if (!prompt) return std::move(prompt).error().while_doing("the prompt " + std::string(file));
    return prompt;
  };
  Prompts prompts;
  SF_TRY_ASSIGN(prompts.propose, load("propose.md", built_in.propose, "siblings"));
  SF_TRY_ASSIGN(prompts.assess, load("assess.md", built_in.assess, "step"));
  SF_TRY_ASSIGN(prompts.choose, load("choose.md", built_in.choose, "candidates"));
  if (!has_own)
    return invalid(directory + " has no prompts", "add propose.md, assess.md or choose.md");
  return prompts;
}

}  // namespace sf::explore::llm
