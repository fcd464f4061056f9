// Formats a running search: a line for each event, or a tree that is redrawn in place. Pure.
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

// The tree with the running steps, in at most `rows` lines of at most `cols` characters. If it is
// too large, shows the main line, the running steps and the newest other nodes.
std::vector<std::string> drawn_tree(const explore::SearchTree& tree,
                                    const std::vector<explore::Step>& under_way, std::size_t rows,
                                    std::size_t cols);

// Explains the marks that drawn_tree() puts before nodes.
inline constexpr const char* kMarks = "= main line  * passed  - graded  x dead end  ~ under way";

// The budget spent so far: "12 of 60 nodes, 2 under way, 34 s".
std::string progress_text(const explore::SearchTree& tree,
                          const std::vector<explore::Step>& under_way,
                          const explore::Budget& budget, microseconds elapsed);

// The final numbers and the next commands to run.
std::string summary_text(const explore::FinishedRun& run, const std::string& directory);

}  // namespace sf::cli
