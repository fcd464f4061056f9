// What a person sees of a search that goes on: lines as things happen, or a tree that is drawn
// again in place. Pure.
#pragma once

#include <string>
#include <vector>

#include "explore/run/exports.h"
#include "explore/search_policy.h"
#include "explore/search_tree.h"

namespace sf::cli {

// "#12 after #4: exit 0, value 0.50: make test", for logs and pipes.
std::string node_line(const explore::SearchTree& tree, explore::NodeIndex index);
std::string grade_line(const explore::SearchTree& tree, explore::NodeIndex index);

// At most `rows` lines of at most `cols` characters: the tree, with what is under way. Where it is
// too large, older parts are left out.
std::vector<std::string> drawn_tree(const explore::SearchTree& tree,
                                    const std::vector<explore::Step>& under_way, std::size_t rows,
                                    std::size_t cols);

// "12 of 60 nodes, 2 under way, 34 s": what is spent so far.
std::string progress_text(const explore::SearchTree& tree,
                          const std::vector<explore::Step>& under_way,
                          const explore::Budget& budget, microseconds elapsed);

// The numbers at the end.
std::string summary_text(const explore::SearchTree& tree, const explore::RunSummary& summary);

}  // namespace sf::cli
