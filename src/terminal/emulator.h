// Emulator: libvterm behind a guard. Obeys a raw terminal stream and tells what the screen shows.
// Pure.
//
// libvterm 0.1 trusts its input: among others, more than 16 CSI arguments overrun a buffer, REP of
// a character without width never ends, encoded C1 controls move the cursor to negative columns,
// APC text is printed, and the result of a combining character depends on how the stream was cut
// into writes. So it never sees the stream itself: EscapeParser cuts it, and only sequences known
// to be harmless are written again, whole, with clamped arguments. Not movable: libvterm's
// callbacks hold its address.
#pragma once

#include <vterm.h>

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "terminal/csi_sequence.h"
#include "terminal/escape_parser.h"
#include "terminal/glyph_widths.h"
#include "terminal/screen_snapshot.h"
#include "terminal/terminal_colours.h"

namespace sf::waypoint {

// Switched by DECSET and kept in TerminalModes::dec.
bool is_followed_mode(int mode);

class Emulator {
 public:
  // Requires: `size` lies within Screen's bounds.
  // `is_top_continued`: the first row goes on where the last line of the scrollback was full.
  Emulator(WindowSize size, Scrollback scrollback, bool is_top_continued = false);
  Emulator(const Emulator&) = delete;
  Emulator& operator=(const Emulator&) = delete;

  void feed(std::string_view raw);
  // Text scrolls through the whole primary screen and no sequence is unfinished; see
  // find_unseen_output().
  bool is_scrolling_freely() const;
  ScreenText text();
  const Scrollback& scrollback() const { return scrollback_; }
  const TerminalModes& modes() const { return modes_; }
  // For answers (terminal_answers.h): where the cursor is with its pen, and what modes() lacks.
  Cursor cursor() const { return read_cursor(); }
  bool is_alternate() const { return is_alternate_; }
  const TerminalColours& colours() const { return colours_; }

  // Asks libvterm for all it knows. Some of it can only be found out by trying, so the emulator is
  // spent afterwards.
  ScreenSnapshot take_snapshot() &&;

 private:
  friend class EscapeParser;  // calls the on_ functions
  void on_ascii(std::string_view run);
  void on_code_point(std::string_view utf8);
  void on_control(char c);
  void on_escape(std::string_view intermediates, char final);
  void on_csi(std::string_view body, char final);
  void on_string(char introducer, std::string_view payload);

  void write_text(std::string_view ascii);
  void write_glyph(std::string_view utf8, int width);
  void forget_wraps(int first_row, int last_row);
  void follow_erasure(const CsiSequence& csi, char final);
  void set_dec_mode(int mode, bool on);
  void change_columns();
  void set_ansi_mode(int mode, bool on);
  void repeat_last(int count);
  void soft_reset();
  void save_cursor();
  void restore_cursor();

  static int on_termprop(VTermProp prop, VTermValue* value, void* self);
  static int on_rows_moved(VTermRect dest, VTermRect src, void* self);
  static int on_line_pushed(int cols, const VTermScreenCell* cells, void* self);

  void pass(std::string_view bytes);       // whole sequences or text on their way to libvterm
  void flush();                            // sees them there
  void write_now(std::string_view bytes);  // past what is on its way
  Row glyphs_of(std::span<const VTermScreenCell> cells);
  Grid read_grid();
  Cursor read_cursor() const;
  std::vector<int> find_tab_stops();
  bool find_wrap_pending();

  WindowSize size_;
  VTermOwner vterm_;
  VTermScreen* screen_;
  VTermState* state_;
  VTermScreenCallbacks callbacks_{};
  EscapeParser parser_;
  GlyphWidths widths_;
  std::string checked_;        // on its way to libvterm: controls and sequences
  std::string last_glyph_;     // the last character, with the marks that followed it
  bool is_last_text_ = false;  // nothing but marks came after it
  VTermPos before_last_{};     // where the cursor was when it came
  TerminalModes modes_;
  TerminalColours colours_;
  SavedCursor saved_;        // DECSC, of the screen that is shown
  SavedCursor other_saved_;  // of the one that is not
  Scrollback scrollback_;
  std::vector<bool> continued_;          // the shown screen's rows: see ScreenSnapshot
  std::size_t pushed_ = 0;               // rows of the scrolling under way that were pushed
  std::vector<bool> primary_continued_;  // the primary screen's while the alternate is shown
  std::string title_;
  bool is_cursor_visible_ = true;
  bool is_alternate_ = false;
  bool is_spent_ = false;
};

}  // namespace sf::waypoint
