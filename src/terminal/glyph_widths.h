// GlyphWidths: finds how many columns libvterm uses for a character, by writing it to a VTerm. This
// file also creates the VTerm objects that Emulator and GlyphWidths own, and reads their cursor.
#pragma once

#include <vterm.h>

#include <cstdint>
#include <memory>
#include <unordered_map>

namespace sf::waypoint {

struct VTermDeleter {
  void operator()(VTerm* vterm) const { vterm_free(vterm); }
};
using VTermOwner = std::unique_ptr<VTerm, VTermDeleter>;

// The terminal reads UTF-8 and discards its answers to queries.
VTermOwner new_vterm(int rows, int cols);
VTermPos cursor_of(VTerm* vterm);

class GlyphWidths {
 public:
  int of(char32_t code_point);  // 0 (a combining mark), 1 or 2

 private:
  VTermOwner vterm_;  // made when first needed
  std::unordered_map<char32_t, int> known_;
};

}  // namespace sf::waypoint
