#include "cli_full/explore_screen.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>

#include "cli_full/explore_view.h"

namespace sf::cli {

using explore::NodeIndex;
using explore::SearchTree;

namespace {

constexpr auto kPause = milliseconds(100);  // minimum time between two drawings

struct Size {
  std::size_t rows = 24;
  std::size_t cols = 80;
};

Size terminal_size() {
  winsize size{};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row < 4 || size.ws_col < 20)
    return {};
  return {size.ws_row, size.ws_col};
}

}  // namespace

ExploreScreen::ExploreScreen(const explore::Budget& budget)
    : budget_(budget), is_terminal_(::isatty(STDERR_FILENO) == 1) {}

void ExploreScreen::say(const std::string& line) {
  erase();
  std::cerr << line << std::endl;
}

void ExploreScreen::show(const SearchTree& tree, const std::vector<explore::Step>& under_way) {
  if (!is_terminal_) return tell_news(tree);
  if (Clock::now() - last_drawn_ < kPause) return;
  draw(tree, under_way);
}

void ExploreScreen::finish(const SearchTree& tree) {
  if (!is_terminal_) return tell_news(tree);
  draw(tree, {});
  lines_drawn_ = 0;
}

void ExploreScreen::tell_news(const SearchTree& tree) {
  for (; nodes_told_ < tree.size(); ++nodes_told_)
    std::cerr << node_line(tree, nodes_told_) << '\n';
  grade_told_.resize(tree.size(), false);
  for (NodeIndex index = 0; index < tree.size(); ++index) {
    if (!tree.at(index).grade || grade_told_[index]) continue;
    grade_told_[index] = true;
    std::cerr << grade_line(tree, index) << '\n';
  }
  std::cerr.flush();
}

void ExploreScreen::draw(const SearchTree& tree, const std::vector<explore::Step>& under_way) {
  const Size size = terminal_size();
  std::vector<std::string> lines = drawn_tree(tree, under_way, size.rows - 3, size.cols - 1);
  const std::string spent = progress_text(tree, under_way, budget_, watch_.elapsed());
  lines.push_back((spent + "   (" + kMarks + ")").substr(0, size.cols - 1));
  erase();
  for (const std::string& line : lines) std::cerr << line << '\n';
  std::cerr.flush();
  lines_drawn_ = lines.size();
  last_drawn_ = Clock::now();
}

void ExploreScreen::erase() {
  if (lines_drawn_ > 0) std::cerr << "\x1b[" << lines_drawn_ << "F\x1b[J";
  lines_drawn_ = 0;
}

}  // namespace sf::cli
