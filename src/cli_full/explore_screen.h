// ExploreScreen: shows a run's progress on standard error. On a terminal it redraws the tree in
// place; elsewhere it prints a line for each event.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/clock.h"
#include "explore/budget.h"
#include "explore/search_policy.h"
#include "explore/search_tree.h"

namespace sf::cli {

class ExploreScreen {  // One thread at a time.
 public:
  explicit ExploreScreen(const explore::Budget& budget);

  void say(const std::string& line);
  void show(const explore::SearchTree& tree, const std::vector<explore::Step>& under_way);
  // Draws the final state and leaves it on the screen.
  void finish(const explore::SearchTree& tree);

 private:
  void tell_news(const explore::SearchTree& tree);
  void draw(const explore::SearchTree& tree, const std::vector<explore::Step>& under_way);
  void erase();

  const explore::Budget budget_;
  const bool is_terminal_;
  const Stopwatch watch_;
  std::size_t nodes_told_ = 1;
  std::vector<bool> grade_told_;
  std::size_t lines_drawn_ = 0;
  Clock::time_point last_drawn_{};
};

}  // namespace sf::cli
