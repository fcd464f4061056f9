// A session's tree as text, from the JSON of the API. Pure.
#pragma once

#include <string>

#include "wire/json.h"

namespace sf::cli {

//   n0  physical  2.1 MB  14 ms
//   n1 setup  physical  80.0 KB  9 ms  $ make
//   ├─ n2  virtual  $ cd /x (+1 more)  <- main +2
//   └─ n3  physical  4.0 KB  8 ms  <- b1 (lost)
//
// A node is drawn below its parent, and indented only where the tree forks. `+2`: two commands
// since the node.
std::string draw_tree(const wire::Json& tree);

}  // namespace sf::cli
