// Emulator: a terminal emulator. Feeds a raw terminal stream to libvterm through a filter, and
// returns what the screen shows. Pure.
//
// libvterm 0.1 trusts its input. For example, more than 16 CSI arguments overrun a buffer, REP of
// a character without width never ends, encoded C1 controls move the cursor to negative columns,
// APC text is printed, and the result of a combining character depends on how the stream was cut
// into writes. So libvterm does not get the stream itself: EscapeParser splits it, and the emulator
// writes only sequences known to be harmless, whole and with clamped arguments. Not movable:
// libvterm's callbacks hold its address.
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

// Whether the emulator keeps this DECSET mode in TerminalModes::dec.
bool is_followed_mode(int mode);

class Emulator {
 public:
  // `is_top_continued`: the first row continues the last line of the scrollback.
  // Requires: `size` is within Screen's limits.
  Emulator(WindowSize size, Scrollback scrollback, bool is_top_continued = false);
  Emulator(const Emulator&) = delete;
  Emulator& operator=(const Emulator&) = delete;

  void feed(std::string_view raw);
  // True if text scrolls through the whole primary screen and no sequence is unfinished; see
  // find_unseen_output().
  bool is_scrolling_freely() const;
  ScreenText text();
  const Scrollback& scrollback() const { return scrollback_; }
  const TerminalModes& modes() const { return modes_; }
  // For answers to queries (terminal_answers.h).
  Cursor cursor() const { return read_cursor(); }
  bool is_alternate() const { return is_alternate_; }
  const TerminalColours& colours() const { return colours_; }

  // Reads the whole state of libvterm. Some of it can only be found by writing to libvterm, so the
  // emulator cannot be used afterwards.
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

  void pass(std::string_view bytes);       // queues whole sequences or text for libvterm
  void flush();                            // writes the queue to libvterm
  void write_now(std::string_view bytes);  // bypasses the queue
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
  std::string checked_;        // controls and sequences queued for libvterm
  std::string last_glyph_;     // the last character, with the marks that followed it
  bool is_last_text_ = false;  // only marks followed it
  VTermPos before_last_{};     // the cursor's position before it was written
  TerminalModes modes_;
  TerminalColours colours_;
  SavedCursor saved_;        // DECSC, of the screen that is shown
  SavedCursor other_saved_;  // DECSC, of the other screen
  Scrollback scrollback_;
  std::vector<bool> continued_;          // the shown screen's rows: see ScreenSnapshot
  std::size_t pushed_ = 0;               // rows that the current scroll has pushed
  std::vector<bool> primary_continued_;  // the primary screen's while the alternate is shown
  std::string title_;
  bool is_cursor_visible_ = true;
  bool is_alternate_ = false;
  bool is_spent_ = false;
};

}  // namespace sf::waypoint
