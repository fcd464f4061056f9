// Trees: the kinds of sessions to measure. Plain data.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace sf::bench {

enum class Files {
  kNone,
  kSettled,      // written once and on disk before the first snapshot
  kJustWritten,  // rewritten right before every snapshot
};

struct Tree {
  std::string name;
  std::string prepare;  // a command for the branch's shell; empty: nothing
  Files files = Files::kNone;
  std::size_t megabytes = 0;  // of file data
};

std::vector<Tree> all_trees();
// The shell command that writes the tree's file data.
std::string write_command(const Tree& tree);

}  // namespace sf::bench
