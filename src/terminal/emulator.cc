#include "terminal/emulator.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/check.h"
#include "terminal/clean_text.h"
#include "terminal/csi_sequence.h"
#include "terminal/utf8.h"

namespace sf::waypoint {
namespace {

// libvterm allocates four times the size of a write on the stack.
constexpr std::size_t kMaxWrite = 4096;
constexpr std::size_t kMaxTitle = 1024;
constexpr std::size_t kMaxGlyph = 32;  // bytes of a character with its marks

// DECSET modes that a repaint must restore. By default all except 7 are off.
constexpr int kFollowedModes[] = {1,    5,    7,    9,    12,   40,   66,   69,
                                  1000, 1002, 1003, 1004, 1005, 1006, 1015, 2004};
// In each of these groups, only the mode that was switched last is in effect.
constexpr int kMouseModes[] = {9, 1000, 1002, 1003};
constexpr int kMousePositions[] = {1005, 1006, 1015};

bool is_one_of(std::span<const int> modes, int mode) {
  return std::find(modes.begin(), modes.end(), mode) != modes.end();
}

// The characters '`' to '~' of the line-drawing set.
constexpr std::string_view kGraphics[] = {"◆", "▒", "␉", "␌", "␍", "␊", "°", "±", "␤", "␋", "┘",
                                          "┐", "┌", "└", "┼", "⎺", "⎻", "─", "⎼", "⎽", "├", "┤",
                                          "┴", "┬", "│", "≤", "≥", "π", "≠", "£", "·"};

bool is_same(VTermPos a, VTermPos b) { return a.row == b.row && a.col == b.col; }

// The margins of DECSTBM and DECSLRM; {0, 0} is the whole screen. Returns nothing for invalid
// margins: a VT510 ignores such a sequence, but libvterm does not.
std::optional<std::pair<int, int>> effective_margins(int first, int last, int size) {
  first = std::max(first, 1);
  last = last < 1 ? size : std::min(last, size);
  if (first == 1 && last == size) return std::pair{0, 0};
  if (last <= first) return std::nullopt;
  return std::pair{first, last};
}

std::string margins_text(std::pair<int, int> margins, char final) {
  if (margins.first == 0) return std::string("\x1b[") + final;
  return "\x1b[" + std::to_string(margins.first) + ";" + std::to_string(margins.second) + final;
}

}  // namespace

bool is_followed_mode(int mode) { return is_one_of(kFollowedModes, mode); }

Emulator::Emulator(WindowSize size, Scrollback scrollback, bool is_top_continued)
    : size_(size),
      vterm_(new_vterm(size.rows, size.cols)),
      screen_(vterm_obtain_screen(vterm_.get())),
      state_(vterm_obtain_state(vterm_.get())),
      scrollback_(std::move(scrollback)),
      continued_(size.rows) {
  continued_[0] = is_top_continued;
  callbacks_.moverect = on_rows_moved;
  callbacks_.settermprop = on_termprop;
  callbacks_.sb_pushline = on_line_pushed;
  vterm_screen_set_callbacks(screen_, &callbacks_, this);
  vterm_screen_set_damage_merge(screen_, VTERM_DAMAGE_SCREEN);
  vterm_screen_enable_altscreen(screen_, 1);
  vterm_screen_reset(screen_, 1);
  saved_.cursor = other_saved_.cursor = read_cursor();
}

void Emulator::feed(std::string_view raw) {
  SF_CHECK(!is_spent_);
  parser_.feed(raw, *this);
  flush();
}

bool Emulator::is_scrolling_freely() const {
  // On a screen with two columns, a carriage return does not cancel the pending wrap of a wide
  // character, but a cursor motion does.
  if (size_.cols == 2) return false;
  return parser_.is_between_tokens() && !is_alternate_ && modes_.rows.first == 0 && !modes_.has(69);
}

// Translates character sets itself: libvterm joins marks to characters only if it reads all text as
// UTF-8.
void Emulator::on_ascii(std::string_view run) {
  const char charset = modes_.charset[static_cast<std::size_t>(modes_.shift)];
  if (charset != '0' && charset != 'A') return write_text(run);
  for (const char& c : run) {
    if (charset == '0' && c >= '`') {
      on_code_point(kGraphics[c - '`']);
    } else if (charset == 'A' && c == '#') {
      on_code_point("£");
    } else {
      write_text(std::string_view(&c, 1));
    }
  }
}

// Writes pieces that end before the last column, and then single characters. Otherwise the emulator
// could not see where a line continues in the next row.
void Emulator::write_text(std::string_view run) {
  flush();
  last_glyph_ = run.back();
  is_last_text_ = true;
  while (!run.empty()) {
    before_last_ = cursor_of(vterm_.get());
    const int room = size_.cols - 1 - before_last_.col;
    if (room <= 1 || run.size() == 1) {
      write_glyph(run.substr(0, 1), 1);
      run.remove_prefix(1);
      continue;
    }
    // Excludes the last character, because before_last_ needs the cursor position before it.
    const std::string_view part =
        run.substr(0, std::min({static_cast<std::size_t>(room), run.size() - 1, kMaxWrite}));
    write_now(part);
    run.remove_prefix(part.size());
  }
}

// Requires: the cursor is at before_last_.
void Emulator::write_glyph(std::string_view utf8, int width) {
  write_now(utf8);
  const VTermPos after = cursor_of(vterm_.get());
  const bool has_wrapped = after.col < before_last_.col;
  const auto row = static_cast<std::size_t>(after.row);
  if (has_wrapped) continued_[row] = true;
  const int begin = has_wrapped ? 0 : before_last_.col;
  // The row is full. The next character shows whether the line continues in the next row.
  if (begin + width >= size_.cols && row + 1 < continued_.size()) continued_[row + 1] = false;
}

// Marks the rows from `first_row` to the one below `last_row` as starts of lines.
void Emulator::forget_wraps(int first_row, int last_row) {
  for (int row = std::max(first_row, 0); row <= last_row + 1 && row < size_.rows; ++row)
    continued_[static_cast<std::size_t>(row)] = false;
}

void Emulator::on_code_point(std::string_view utf8) {
  flush();
  std::size_t at = 0;
  const int width = widths_.of(next_code_point(utf8, at));
  const bool is_mark = width == 0;
  if (is_mark && is_last_text_ && is_same(cursor_of(vterm_.get()), before_last_)) {
    // The previous character is in the last column, and the cursor is still on it. libvterm would
    // put a mark of a later write into the next line. So go back and write both in one write.
    if (last_glyph_.size() + utf8.size() > kMaxGlyph || before_last_.col == 0) return;
    last_glyph_ += utf8;
    write_now("\b\x1b[C");
    write_now(last_glyph_);
    return;
  }
  if (!is_mark) {
    before_last_ = cursor_of(vterm_.get());
    last_glyph_ = utf8;
    is_last_text_ = true;
  } else if (is_last_text_ && last_glyph_.size() + utf8.size() <= kMaxGlyph) {
    last_glyph_ += utf8;
  }
  // Write the mark alone, so that the result does not depend on where the stream was cut.
  if (is_mark) {
    write_now(utf8);
  } else {
    // In insert mode, libvterm makes room for one column only.
    if (modes_.is_insert && width == 2 && before_last_.col < size_.cols - 2) write_now("\x1b[@");
    write_glyph(utf8, width);
  }
}

void Emulator::on_control(char c) {
  is_last_text_ = false;
  if (c == '\x0e') modes_.shift = 1;
  if (c == '\x0f') modes_.shift = 0;
  if (c >= '\b' && c <= '\r') pass(std::string_view(&c, 1));  // BS HT LF VT FF CR
}

void Emulator::on_escape(std::string_view intermediates, char final) {
  is_last_text_ = false;
  const std::string sequence = "\x1b" + std::string(intermediates) + final;
  if (intermediates.empty()) {
    switch (final) {
      case '7':
        return save_cursor();
      case '8':
        return restore_cursor();
      case 'D':
      case 'E':
      case 'H':
      case 'M':
        break;
      case '=':
        modes_.is_keypad = true;
        break;
      case '>':
        modes_.is_keypad = false;
        break;
      case 'n':
        modes_.shift = 2;
        return;
      case 'o':
        modes_.shift = 3;
        return;
      case 'c':
        pass("\x1b[?1047l");  // otherwise libvterm would keep showing the alternate screen and
                              // report the primary one
        pass(sequence);
        flush();
        saved_ = other_saved_ = {read_cursor(), false, {}, 0};
        forget_wraps(0, size_.rows);
        modes_ = {};
        colours_.reset_palette();
        return;
      default:
        return;
    }
    pass(sequence);
  } else if (intermediates == "#") {
    if (final != '8') return;  // lines of double size are not supported
    flush();
    forget_wraps(0, size_.rows);
    // DECALN also resets the margins and homes the cursor, but libvterm does not.
    modes_.rows = modes_.cols = {0, 0};
    modes_.is_origin = false;
    pass("\x1b[r");
    if (modes_.has(69)) pass("\x1b[s");
    pass("\x1b[?6l");
    pass(sequence);
    pass("\x1b[H");
  } else if (intermediates.size() == 1 && (final == '0' || final == 'A' || final == 'B')) {
    const std::size_t set = std::string_view("()*+").find(intermediates[0]);
    if (set != std::string_view::npos) modes_.charset[set] = final;
  }
}

void Emulator::on_csi(std::string_view body, char final) {
  const bool follows_text = std::exchange(is_last_text_, false);
  const CsiSequence csi(body);
  if (csi.leader() == '?' && csi.intermediates().empty()) {
    if (final == 'h' || final == 'l') {
      for (const int mode : csi.arguments()) set_dec_mode(mode, final == 'h');
    } else if (final == 'J' || final == 'K') {
      follow_erasure(csi, final);
      pass(csi.with_final(final));
    }
    return;
  }
  if (csi.leader() != 0) return;
  if (csi.intermediates() == "!" && final == 'p') return soft_reset();
  if (csi.intermediates() == " " && final == 'q')
    modes_.cursor_style = csi.argument(0, 0) <= 6 ? csi.argument(0, 0) : 0;
  if (!csi.intermediates().empty()) {
    const bool is_known = (csi.intermediates() == " " && final == 'q') ||
                          (csi.intermediates() == "\"" && final == 'q') ||
                          (csi.intermediates() == "'" && (final == '}' || final == '~'));
    if (is_known) pass(csi.with_final(final));
    return;
  }
  switch (final) {
    case 'b':
      // ECMA-48 does not define REP after a control function. Ignore it, as xterm does.
      if (follows_text) repeat_last(csi.argument(0, 1));
      return;
    case 'h':
    case 'l':
      for (const int mode : csi.arguments()) set_ansi_mode(mode, final == 'h');
      return;
    case 'J':
      if (csi.argument(0, 0) == 3) {
        flush();
        scrollback_.clear();
        return;
      }
      break;
    case 'r':
      if (const auto rows = effective_margins(csi.argument(0, 1), csi.argument(1, 0), size_.rows)) {
        modes_.rows = *rows;
        pass(margins_text(modes_.rows, 'r'));
      }
      return;
    case 's':
      if (!modes_.has(69)) return save_cursor();  // without margins
      if (const auto cols = effective_margins(csi.argument(0, 1), csi.argument(1, 0), size_.cols)) {
        modes_.cols = *cols;
        pass(margins_text(modes_.cols, 's'));
      }
      return;
    case 'u':
      return restore_cursor();
    case 'T':
      if (csi.arguments().size() > 1) return;  // highlight mouse tracking, not scrolling
      break;
    default:
      if (std::string_view("@ABCDEFGHIKLMPSXZ`adefgm").find(final) == std::string_view::npos)
        return;
      break;
  }
  follow_erasure(csi, final);
  pass(csi.with_final(final));
}

void Emulator::follow_erasure(const CsiSequence& csi, char final) {
  if (std::string_view("JKPXLMST").find(final) == std::string_view::npos) return;
  flush();
  const VTermPos at = cursor_of(vterm_.get());
  const int what = csi.argument(0, 0);
  const int from = at.col == 0 ? at.row : at.row + 1;  // the first row with an erased start
  if (final == 'J' && what == 0) forget_wraps(from, size_.rows);
  if (final == 'J' && what == 1) forget_wraps(0, at.row - 1);
  if (final == 'J' && what == 2) forget_wraps(0, size_.rows);
  if (final == 'K' && what == 0) forget_wraps(from, at.row);
  if (final == 'K' && what == 1) forget_wraps(at.row, at.row - 1);
  if (final == 'K' && what == 2) forget_wraps(at.row, at.row);
  if (final == 'P' || (final == 'X' && at.col + what >= size_.cols))
    forget_wraps(at.row + 1, at.row);
  // libvterm does not call on_rows_moved() if all rows scroll off.
  if (std::string_view("LMST").find(final) != std::string_view::npos && what >= size_.rows)
    forget_wraps(0, size_.rows);
}

void Emulator::on_string(char introducer, std::string_view payload) {
  if (introducer != ']') return;
  colours_.obey(payload);
  if (payload.size() < 2 || payload[1] != ';') return;
  if (payload[0] == '0' || payload[0] == '2') {
    title_ = clean_text(payload.substr(2));
    std::erase_if(title_, [](char c) { return c == '\n' || c == '\t'; });
    if (title_.size() > kMaxTitle) {
      std::size_t end = kMaxTitle;
      while (end > 0 && (static_cast<unsigned char>(title_[end]) & 0xc0) == 0x80) --end;
      title_.resize(end);
    }
  }
}

void Emulator::set_dec_mode(int mode, bool on) {
  if (mode == 47) mode = 1047;
  if (mode == 6) modes_.is_origin = on;
  if (mode == 3) return change_columns();
  if (mode == 1048) return on ? save_cursor() : restore_cursor();
  const bool has_cursor = mode == 1049;
  if (has_cursor) mode = 1047;
  if (has_cursor && on) save_cursor();
  if (is_followed_mode(mode)) {
    for (const std::span<const int> group :
         {std::span<const int>(kMouseModes), std::span<const int>(kMousePositions)}) {
      if (!is_one_of(group, mode)) continue;
      for (const int other : group) {
        if (modes_.has(other)) modes_.dec[other] = false;
      }
    }
    modes_.dec[mode] = on;
  } else if (mode != 6 && mode != 25 && mode != 1047) {
    return;
  }
  pass("\x1b[?" + std::to_string(mode) + (on ? 'h' : 'l'));
  if (has_cursor && !on) restore_cursor();
}

// DECCOLM, as in an xterm that does not resize its window. Mode 40 allows it.
void Emulator::change_columns() {
  if (!modes_.has(40)) return;
  if (modes_.has(69)) set_dec_mode(69, false);
  modes_.rows = {0, 0};
  flush();
  forget_wraps(0, size_.rows);
  pass("\x1b[r\x1b[2J\x1b[H");
}

// The emulator saves the cursor itself: libvterm saves only position and pen, and has only one
// saved cursor for both screens.
void Emulator::save_cursor() {
  flush();
  saved_ = {read_cursor(), modes_.is_origin, modes_.charset, modes_.shift};
}

void Emulator::restore_cursor() {
  flush();  // this may change the screen
  modes_.is_origin = saved_.is_origin;
  modes_.charset = saved_.charset;
  modes_.shift = saved_.shift;
  // Moves to another position first, which cancels a pending wrap.
  std::string sequence = "\x1b[?6l\x1b[2;2H\x1b[H\x1b[" + std::to_string(saved_.cursor.row + 1) +
                         ";" + std::to_string(saved_.cursor.col + 1) + "H";
  append_pen(sequence, saved_.cursor.pen);
  // Origin mode moves the cursor, and the saved position may be outside the margins.
  if (saved_.is_origin) sequence += "\x1b\x37\x1b[?6h\x1b\x38";
  pass(sequence);
}

void Emulator::set_ansi_mode(int mode, bool on) {
  if (mode == 4) modes_.is_insert = on;
  if (mode == 20) modes_.is_newline = on;
  if (mode == 4 || mode == 20) pass("\x1b[" + std::to_string(mode) + (on ? 'h' : 'l'));
}

// Requires: a character was printed.
void Emulator::repeat_last(int count) {
  std::size_t end = 0;
  next_code_point(last_glyph_, end);
  const std::string character = last_glyph_.substr(0, end);
  const int limit = std::clamp<int>(count, 1, size_.cols);  // bounds the work for a short sequence
  for (int i = 0; i < limit; ++i) {
    if (character.size() == 1) {
      write_text(character);
    } else {
      on_code_point(character);
    }
  }
  is_last_text_ = false;  // REP itself is a control function
}

// Writes the single sequences instead of DECSTR, because libvterm's DECSTR forgets which screen it
// shows. The cursor stays; the saved cursor is reset to the home position.
void Emulator::soft_reset() {
  flush();
  const VTermPos cursor = cursor_of(vterm_.get());
  pass("\x1b[?6l\x1b[?69l\x1b[r\x1b[?1l\x1b[?7h\x1b[?25h\x1b[4l\x1b[20l\x1b>\x1b[0m\x1b[H");
  flush();
  saved_ = {read_cursor(), false, {}, 0};
  pass("\x1b[" + std::to_string(cursor.row + 1) + ";" + std::to_string(cursor.col + 1) + "H");
  TerminalModes fresh;
  for (const auto& [mode, on] : modes_.dec) {
    if (mode != 1 && mode != 7 && mode != 69) fresh.dec[mode] = on;
  }
  modes_ = fresh;
  colours_.reset_palette();
}

int Emulator::on_termprop(VTermProp prop, VTermValue* value, void* self) {
  auto& emulator = *static_cast<Emulator*>(self);
  if (prop == VTERM_PROP_CURSORVISIBLE) emulator.is_cursor_visible_ = value->boolean != 0;
  if (prop == VTERM_PROP_ALTSCREEN && !emulator.is_spent_) {
    const bool on = value->boolean != 0;
    if (on != emulator.is_alternate_) {
      std::swap(emulator.continued_, emulator.primary_continued_);
      std::swap(emulator.saved_, emulator.other_saved_);
      if (on) emulator.continued_.assign(emulator.size_.rows, false);
    }
    emulator.is_alternate_ = on;
  }
  return 1;
}

int Emulator::on_rows_moved(VTermRect dest, VTermRect src, void* self) {
  auto& emulator = *static_cast<Emulator*>(self);
  if (emulator.is_spent_) return 1;
  emulator.pushed_ = 0;
  const std::vector<bool> before = emulator.continued_;
  // With left and right margins, only parts of rows move, so no row continues another.
  const bool is_whole = dest.start_col == 0 && dest.end_col == emulator.size_.cols;
  emulator.forget_wraps(std::min(dest.start_row, src.start_row),
                        std::max(dest.end_row, src.end_row) - 1);
  for (int row = 0; is_whole && row < dest.end_row - dest.start_row; ++row) {
    // The row before the first one is gone, unless it is in the scrollback now.
    if (row == 0 && (dest.start_row > 0 || emulator.is_alternate_)) continue;
    emulator.continued_[static_cast<std::size_t>(dest.start_row + row)] =
        before[static_cast<std::size_t>(src.start_row + row)];
  }
  return 1;
}

int Emulator::on_line_pushed(int cols, const VTermScreenCell* cells, void* self) {
  auto& emulator = *static_cast<Emulator*>(self);
  if (emulator.is_spent_) return 1;
  std::span<const VTermScreenCell> line(cells, static_cast<std::size_t>(cols));
  while (!line.empty() && line.back().chars[0] == 0 && VTERM_COLOR_IS_DEFAULT_BG(&line.back().bg)) {
    line = line.first(line.size() - 1);
  }
  const std::size_t row = emulator.pushed_++;
  const bool goes_on = row + 1 < emulator.continued_.size() && emulator.continued_[row + 1];
  emulator.scrollback_.push_back(
      {encode_line(emulator.glyphs_of(line), goes_on ? LineEnd::kGoesOn : LineEnd::kEnds),
       emulator.continued_[row]});
  if (emulator.scrollback_.size() > Screen::kMaxScrollback) emulator.scrollback_.pop_front();
  return 1;
}

void Emulator::write_now(std::string_view bytes) {
  vterm_input_write(vterm_.get(), bytes.data(), bytes.size());
}

void Emulator::pass(std::string_view bytes) {
  checked_ += bytes;
  if (checked_.size() >= kMaxWrite) flush();
}

void Emulator::flush() {
  if (checked_.empty()) return;
  write_now(checked_);
  checked_.clear();
}

}  // namespace sf::waypoint
