#include "terminal/glyph_widths.h"

#include <algorithm>
#include <cstddef>
#include <string>

#include "base/check.h"
#include "terminal/utf8.h"

namespace sf::waypoint {
namespace {

constexpr char32_t kFirstNotNarrow = 0x300;
constexpr std::size_t kMaxKnown = 8192;

void discard_output(const char* /*bytes*/, std::size_t /*size*/, void* /*user*/) {}

}  // namespace

VTermOwner new_vterm(int rows, int cols) {
  VTermOwner vterm(vterm_new(rows, cols));
  SF_CHECK(vterm != nullptr);
  vterm_set_utf8(vterm.get(), 1);
  vterm_output_set_callback(vterm.get(), discard_output, nullptr);
  return vterm;
}

VTermPos cursor_of(VTerm* vterm) {
  VTermPos pos;
  vterm_state_get_cursorpos(vterm_obtain_state(vterm), &pos);
  return pos;
}

int GlyphWidths::of(char32_t code_point) {
  if (code_point < kFirstNotNarrow) return 1;
  const auto found = known_.find(code_point);
  if (found != known_.end()) return found->second;
  if (!vterm_) {
    vterm_ = new_vterm(2, 8);
    vterm_screen_reset(vterm_obtain_screen(vterm_.get()), 1);
  }
  // The `x` in the first row keeps a combining character in the second row from joining another.
  std::string probe = "\x1b[Hx\x1b[2;1H";
  append_utf8(probe, code_point);
  vterm_input_write(vterm_.get(), probe.data(), probe.size());
  const int width = std::clamp(cursor_of(vterm_.get()).col, 0, 2);
  if (known_.size() >= kMaxKnown) known_.clear();
  known_.emplace(code_point, width);
  return width;
}

}  // namespace sf::waypoint
