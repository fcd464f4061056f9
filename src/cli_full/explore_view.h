// What a person sees of a search that goes on: lines as things happen, or a tree that is drawn
// again in place. Pure.
#pragma once

#include <string>
#include <vector>

#include "explore/run/run.h"
#include "explore/search_policy.h"
#include "explore/search_tree.h"

namespace sf::cli {

// "#12 after #4: exit 0, value 0.50: make test", for logs and pipes.
std::string node_line(const explore::SearchTree& tree, explore::NodeIndex index);
std::string grade_line(const explore::SearchTree& tree, explore::NodeIndex index);

// At most `rows` lines of at most `cols` characters: the tree, with what is under way. Where it is
// too large, the main line and what is under way are there, and of the rest the newest.
std::vector<std::string> drawn_tree(const explore::SearchTree& tree,
                                    const std::vector<explore::Step>& under_way, std::size_t rows,
                                    std::size_t cols);

// What the marks mean that drawn_tree() puts before nodes.
inline constexpr const char* kMarks = "= main line  * passed  - graded  x dead end  ~ under way";

// "12 of 60 nodes, 2 under way, 34 s": what is spent so far.
std::string progress_text(const explore::SearchTree& tree,
                          const std::vector<explore::Step>& under_way,
                          const explore::Budget& budget, microseconds elapsed);

// The numbers at the end, and what can be done next.
std::string summary_text(const explore::FinishedRun& run, const std::string& directory);

}  // namespace sf::cli
