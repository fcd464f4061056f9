#include "cli_full/explore_view.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/render/text_layout.h"

namespace sf::cli {

using explore::NodeIndex;
using explore::SearchNode;
using explore::SearchTree;
using explore::Step;

namespace {

constexpr std::size_t kShownCommand = 72;

std::string state_of(const SearchNode& node) {
  if (!node.failure.empty()) return "failed: " + one_line(node.failure, kShownCommand);
  std::string text = node.outcome.timed_out ? std::string("timed out")
                                            : fmt::format("exit {}", node.outcome.exit_code);
  text += fmt::format(", value {:.2f}", node.value);
  if (node.grade) text += fmt::format(", graded {:.2f}", node.grade->score);
  return text;
}

char mark_of(const SearchNode& node) {
  if (node.grade && node.grade->passed()) return '*';
  if (!node.failure.empty()) return 'x';
  if (node.grade) return '-';
  return node.is_committed ? '=' : 'o';
}

// Cuts a line to the number of columns.
std::string cut(const std::string& line, std::size_t cols) {
  std::size_t width = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const bool starts_character = (static_cast<unsigned char>(line[i]) & 0xC0U) != 0x80U;
    if (starts_character && ++width > cols) return line.substr(0, i);
  }
  return line;
}

// The nodes to draw if there are too few lines for all: always whole paths from the root.
class Shown {
 public:
  Shown(const SearchTree& tree, const std::vector<Step>& under_way, std::size_t most)
      : is_shown_(tree.size(), false), most_(most) {
    add(tree.path(tree.committed()), true);
    for (const Step& step : under_way) {
      if (const auto* expand = std::get_if<explore::Expand>(&step))
        add(tree.path(expand->parent), true);
    }
    for (NodeIndex index = tree.size(); index-- > 1;) add(tree.path(index), false);
    is_shown_[explore::kRoot] = true;
  }
  bool operator[](NodeIndex index) const { return is_shown_[index]; }
  std::size_t left_out() const { return is_shown_.size() - 1 - count_; }

 private:
  void add(const std::vector<NodeIndex>& path, bool is_wanted) {
    const auto more = static_cast<std::size_t>(
        std::ranges::count_if(path, [&](NodeIndex each) { return !is_shown_[each]; }));
    if (!is_wanted && count_ + more > most_) return;
    for (NodeIndex each : path) is_shown_[each] = true;
    count_ += more;
  }

  std::vector<bool> is_shown_;
  std::size_t most_;
  std::size_t count_ = 0;  // without the root
};

struct Drawing {
  const SearchTree& tree;
  const std::vector<Step>& under_way;
  const Shown& shown;
  std::size_t cols;
  std::vector<std::string> lines;

  void add(NodeIndex index, const std::string& indent) {
    const SearchNode& node = tree.at(index);
    const std::string what = index == explore::kRoot ? std::string("the task as it begins")
                                                     : one_line(node.action.command, cols);
    const std::string line = fmt::format("{}{} #{} {}", indent, mark_of(node), index, what);
    lines.push_back(cut(line, cols));
    const std::string deeper = indent + "  ";
    for (NodeIndex child : tree.children(index)) {
      if (shown[child]) add(child, deeper);
    }
    for (std::size_t i = explore::expansions_of(under_way, index); i > 0; --i)
      lines.push_back(cut(deeper + "~ ...", cols));
  }
};

std::string seconds_text(microseconds time) {
  return fmt::format("{:.2f} s", static_cast<double>(time.count()) / 1e6);
}

}  // namespace

std::string node_line(const SearchTree& tree, NodeIndex index) {
  const SearchNode& node = tree.at(index);
  std::string line =
      fmt::format("#{} after #{}: {}", index, node.parent.value_or(explore::kRoot), state_of(node));
  if (!node.action.command.empty()) line += ": " + one_line(node.action.command, kShownCommand);
  return line;
}

std::string grade_line(const SearchTree& tree, NodeIndex index) {
  const auto& grade = tree.at(index).grade;
  return fmt::format("#{} graded {:.2f}{}", index, grade ? grade->score : 0,
                     grade && grade->passed() ? ": passed" : "");
}

std::vector<std::string> drawn_tree(const SearchTree& tree, const std::vector<Step>& under_way,
                                    std::size_t rows, std::size_t cols) {
  const std::size_t all = tree.size() + under_way.size();
  const std::size_t around = under_way.size() + (all > rows ? 2 : 1);  // the root, "... older"
  const Shown shown(tree, under_way, rows > around ? rows - around : 0);
  Drawing drawing{tree, under_way, shown, cols, {}};
  drawing.add(explore::kRoot, "");
  std::vector<std::string>& lines = drawing.lines;
  if (shown.left_out() > 0)
    lines.insert(lines.begin(), cut(fmt::format("... {} older nodes", shown.left_out()), cols));
  if (lines.size() > rows)  // not enough lines for these, either
    lines.erase(lines.begin(), lines.end() - static_cast<std::ptrdiff_t>(rows));
  return lines;
}

std::string progress_text(const SearchTree& tree, const std::vector<Step>& under_way,
                          const explore::Budget& budget, microseconds elapsed) {
  const explore::Usage usage = tree.total();
  std::string text = std::to_string(tree.size() - 1);
  if (budget.nodes) text += fmt::format(" of {}", *budget.nodes);
  text += " nodes";
  if (!under_way.empty()) text += fmt::format(", {} under way", under_way.size());
  text += fmt::format(", {} s", elapsed.count() / 1'000'000);
  if (usage.model_calls > 0)
    text += fmt::format(", {} model calls, {} + {} tokens", usage.model_calls, usage.tokens_in,
                        usage.tokens_out);
  if (usage.money > 0) text += fmt::format(", {:.2f} dollars", usage.money);
  return text;
}

std::string summary_text(const explore::FinishedRun& run, const std::string& directory) {
  const explore::RunSummary& summary = run.summary;
  const explore::Usage& usage = summary.usage;
  std::string text = summary.is_solved ? fmt::format("solved at #{}", summary.best)
                                       : fmt::format("not solved; the best is #{}", summary.best);
  text += fmt::format(" ({})\n", summary.why);
  text += fmt::format("  nodes     {}\n", run.tree.size() - 1);
  text += fmt::format("  model     {} calls, {} + {} tokens, {:.4f} dollars\n", usage.model_calls,
                      usage.tokens_in, usage.tokens_out, usage.money);
  text +=
      fmt::format("  time      {} in all; of all branches together:\n", seconds_text(summary.wall));
  text += fmt::format("            model {}, commands {}, snapshots {}, restores {}, tests {}\n",
                      seconds_text(usage.model_time), seconds_text(usage.command_time),
                      seconds_text(usage.snapshot_time), seconds_text(usage.restore_time),
                      seconds_text(usage.grade_time));
  text += fmt::format("  snapshots {}\n", size_text(summary.bytes));
  text +=
      fmt::format("  session   {}, node {}\n", run.plan.session, run.tree.at(summary.best).state);
  text += fmt::format("  report    {}/report.html\n", directory);
  text += fmt::format("  next      statefork replay {}\n", directory);
  if (summary.best != explore::kRoot)
    text += fmt::format("            statefork apply {} DIRECTORY --dry-run\n", directory);
  return text;
}

}  // namespace sf::cli
