#include "explore/agents/llm/situation_text.h"

#include <fmt/format.h>

#include <algorithm>

namespace sf::explore::llm {
namespace {

bool is_inside_character(char byte) { return (static_cast<unsigned char>(byte) & 0xc0U) == 0x80U; }

std::string ending_of(const Outcome& outcome) {
  return outcome.timed_out ? "timed out" : fmt::format("exit status {}", outcome.exit_code);
}

std::string with_line_end(std::string text) {
  if (!text.empty() && !text.ends_with('\n')) text += '\n';
  return text;
}

// How many of the texts fit, counted from the first.
template <typename Iterator>
std::size_t how_many_fit(Iterator begin, Iterator end, std::size_t most) {
  std::size_t used = 0;
  auto it = begin;
  while (it != end && used + it->size() <= most) used += (it++)->size();
  return static_cast<std::size_t>(it - begin);
}

}  // namespace

std::string cut_middle(std::string_view text, std::size_t most) {
  if (text.size() <= most) return std::string(text);
  std::size_t head = most / 3;  // errors are usually at the end
  std::size_t tail = text.size() - (most - head);
  while (head > 0 && is_inside_character(text[head])) --head;
  while (tail < text.size() && is_inside_character(text[tail])) ++tail;
  return fmt::format("{}\n[... {} bytes are left out here ...]\n{}", text.substr(0, head),
                     tail - head, text.substr(tail));
}

std::string step_text(const Turn& turn, std::size_t most) {
  std::string text;
  if (!turn.action.thought.empty())
    text += "Thought: " + with_line_end(cut_middle(turn.action.thought, most / 4));
  if (turn.action.command.empty()) return text + "(no command)\n";
  text += "$ " + with_line_end(cut_middle(turn.action.command, most / 2));
  text += with_line_end(cut_middle(turn.outcome.output, most));
  return text + "[" + ending_of(turn.outcome) + "]\n";
}

std::string path_text(const std::vector<Turn>& path, std::size_t most) {
  if (path.empty()) return "(nothing was done yet)\n";
  std::vector<std::string> steps;
  for (std::size_t i = 0; i < path.size(); ++i)
    steps.push_back(fmt::format("Step {}\n{}\n", i + 1, step_text(path[i], most / 4)));
  std::size_t head = how_many_fit(steps.begin(), steps.end(), most);
  std::size_t tail = 0;
  if (head < steps.size()) {
    head = how_many_fit(steps.begin(), steps.end() - 1, most / 4);
    // Always keep the last step.
    tail = std::clamp<std::size_t>(how_many_fit(steps.rbegin(), steps.rend(), most / 4 * 3), 1,
                                   steps.size() - head);
  }
  std::string text;
  for (std::size_t i = 0; i < head; ++i) text += steps[i];
  if (const std::size_t left_out = steps.size() - head - tail; tail > 0 && left_out > 0)
    text += fmt::format("[... {} steps are left out here: {} to {} ...]\n\n", left_out, head + 1,
                        head + left_out);
  for (std::size_t i = steps.size() - tail; i < steps.size(); ++i) text += steps[i];
  return text;
}

std::string siblings_text(const Situation& situation, std::size_t most) {
  const std::size_t tried = situation.siblings.size();
  const std::size_t share = most / std::max<std::size_t>(tried, 1);
  std::string text;
  for (const Turn& turn : situation.siblings) {
    text += step_text({.action = {.command = turn.action.command},
                       .outcome = {cut_middle(turn.outcome.output, share / 4),
                                   turn.outcome.exit_code, turn.outcome.timed_out}},
                      share);
    text += fmt::format("Value: {:.2f}\n", turn.value);
    if (!turn.reflection.empty())
      text += "Lesson: " + with_line_end(cut_middle(turn.reflection, share / 2));
    text += '\n';
  }
  if (situation.ordinal > tried)
    text += fmt::format("({} more are under way)\n", situation.ordinal - tried);
  return text.empty() ? "(nothing yet)\n" : text;
}

std::string candidates_text(const std::vector<Turn>& candidates, std::size_t most) {
  const std::size_t share = most / std::max<std::size_t>(candidates.size(), 1);
  std::string text;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    text += fmt::format("Candidate {}\n{}", i + 1, step_text(candidates[i], share / 2));
    text += fmt::format("Best value found below it: {:.2f}\n", candidates[i].value);
    if (!candidates[i].reflection.empty())
      text += "Remark: " + with_line_end(cut_middle(candidates[i].reflection, share / 4));
    text += '\n';
  }
  return text;
}

}  // namespace sf::explore::llm
