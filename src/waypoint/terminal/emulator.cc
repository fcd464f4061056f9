#include "waypoint/terminal/emulator.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "waypoint/terminal/clean_text.h"
#include "waypoint/terminal/csi_sequence.h"
#include "waypoint/terminal/utf8.h"

namespace sf::waypoint {
namespace {

// libvterm's mark in the right cell of a wide character.
constexpr std::uint32_t kSecondHalf = 0xffffffff;
// libvterm puts an array four times as large as a write on the stack.
constexpr std::size_t kMaxWrite = 4096;
constexpr std::size_t kMaxTitle = 1024;
constexpr std::size_t kMaxGlyph = 32;  // bytes of a character with its marks
constexpr std::string_view kSaveCursor = "\x1b\x37";
constexpr std::string_view kRestoreCursor = "\x1b\x38";

// Switched by DECSET and needed to make an equal terminal; all but 7 are off at first.
constexpr int kFollowedModes[] = {1,    5,    7,    12,   66,   69,   1000,
                                  1002, 1003, 1004, 1005, 1006, 1015, 2004};
bool is_followed(int mode) {
  return std::find(std::begin(kFollowedModes), std::end(kFollowedModes), mode) !=
         std::end(kFollowedModes);
}

// The line-drawing set: what '`' to '~' mean in it.
constexpr std::string_view kGraphics[] = {"◆", "▒", "␉", "␌", "␍", "␊", "°", "±", "␤", "␋", "┘",
                                          "┐", "┌", "└", "┼", "⎺", "⎻", "─", "⎼", "⎽", "├", "┤",
                                          "┴", "┬", "│", "≤", "≥", "π", "≠", "£", "·"};

bool is_same(VTermPos a, VTermPos b) { return a.row == b.row && a.col == b.col; }

// Margins as libvterm understands them: senseless ones mean the whole screen, here {0, 0}.
std::pair<int, int> effective_margins(int first, int last, int size) {
  first = std::clamp(first, 1, size);
  last = last < 1 ? size : std::min(last, size);
  if (last <= first || (first == 1 && last == size)) return {0, 0};
  return {first, last};
}

std::string margins_text(std::pair<int, int> margins, char final) {
  if (margins.first == 0) return std::string("\x1b[") + final;
  return "\x1b[" + std::to_string(margins.first) + ";" + std::to_string(margins.second) + final;
}

}  // namespace

Emulator::Emulator(WindowSize size, std::deque<std::string> scrollback)
    : size_(size),
      vterm_(new_vterm(size.rows, size.cols)),
      screen_(vterm_obtain_screen(vterm_.get())),
      state_(vterm_obtain_state(vterm_.get())),
      scrollback_(std::move(scrollback)) {
  callbacks_.settermprop = on_termprop;
  callbacks_.sb_pushline = on_line_pushed;
  vterm_screen_set_callbacks(screen_, &callbacks_, this);
  vterm_screen_set_damage_merge(screen_, VTERM_DAMAGE_SCREEN);
  vterm_screen_enable_altscreen(screen_, 1);
  vterm_screen_reset(screen_, 1);
  write_now(kSaveCursor);  // a first DECRC without DECSC would otherwise hide the cursor
}

void Emulator::feed(std::string_view raw) {
  SF_CHECK(!is_spent_);
  parser_.feed(raw, *this);
  flush();
}

bool Emulator::is_scrolling_freely() const {
  // In two columns a wide character's pending wrap outlives a carriage return, but no motion.
  if (size_.cols == 2) return false;
  return parser_.is_between_tokens() && !is_alternate_ && modes_.rows.first == 0 && !modes_.has(69);
}

ScreenText Emulator::text() {
  SF_CHECK(!is_spent_);
  ScreenText text;
  for (const Row& row : read_grid()) text.rows.push_back(plain_line(row));
  const VTermPos cursor = cursor_of(vterm_.get());
  text.cursor_row = cursor.row;
  text.cursor_col = cursor.col;
  text.cursor_visible = is_cursor_visible_;
  text.alternate_screen = is_alternate_;
  text.title = title_;
  text.size = size_;
  return text;
}

ScreenSnapshot Emulator::take_snapshot() && {
  SF_CHECK(!is_spent_);
  is_spent_ = true;
  ScreenSnapshot snapshot;
  snapshot.size = size_;
  snapshot.modes = modes_;
  snapshot.title = title_;
  snapshot.unfinished = parser_.unfinished();
  snapshot.cursor = read_cursor();
  write_now("\x1b[?5l");  // cells are told as seen; with the whole screen reversed that is not what
                          // was written
  Grid shown = read_grid();
  snapshot.is_wrap_pending = find_wrap_pending();
  if (is_alternate_) {
    snapshot.alternate = std::move(shown);
    VTermValue off{};
    vterm_state_set_termprop(state_, VTERM_PROP_ALTSCREEN, &off);
    shown = read_grid();
  }
  snapshot.primary = std::move(shown);
  write_now(kRestoreCursor);
  snapshot.saved_cursor = read_cursor();
  snapshot.tab_stops = find_tab_stops();
  snapshot.scrollback = std::move(scrollback_);
  return snapshot;
}

// Character sets are translated here: as long as libvterm takes all text for UTF-8, it can join
// marks to characters.
void Emulator::on_ascii(std::string_view run) {
  const char charset = modes_.charset[modes_.shift];
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

void Emulator::write_text(std::string_view run) {
  last_glyph_ = run.back();
  is_last_text_ = true;
  while (!run.empty()) {
    const std::string_view part = run.substr(0, kMaxWrite);
    pass(part);
    run.remove_prefix(part.size());
  }
}

void Emulator::on_code_point(std::string_view utf8) {
  flush();
  std::size_t at = 0;
  const bool is_mark = widths_.of(next_code_point(utf8, at)) == 0;
  if (is_mark && is_last_text_ && is_same(cursor_of(vterm_.get()), before_last_)) {
    // The character before is in the last column and the cursor still on it. libvterm would put a
    // mark that comes in a later write into the next line; so go back and write both at once.
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
  write_now(utf8);  // alone, so the outcome cannot depend on where the stream was cut
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
      case '8':
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
        pass("\x1b[?1047l");  // libvterm would forget that the alternate screen is shown, and keep
                              // showing it
        pass(sequence);
        pass(kSaveCursor);
        modes_ = {};
        return;
      default:
        return;
    }
    pass(sequence);
  } else if (intermediates == "#") {
    if (final == '8') pass(sequence);  // lines of double size are not known here
  } else if (intermediates.size() == 1 && (final == '0' || final == 'A' || final == 'B')) {
    const std::size_t set = std::string_view("()*+").find(intermediates[0]);
    if (set != std::string_view::npos) modes_.charset[set] = final;
  }
}

void Emulator::on_csi(std::string_view body, char final) {
  is_last_text_ = false;
  const CsiSequence csi(body);
  if (csi.leader() == '?' && csi.intermediates().empty()) {
    if (final == 'h' || final == 'l') {
      for (const int mode : csi.arguments()) set_dec_mode(mode, final == 'h');
    } else if (final == 'J' || final == 'K') {
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
      return repeat_last(csi.argument(0, 1));
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
      modes_.rows = effective_margins(csi.argument(0, 1), csi.argument(1, 0), size_.rows);
      pass(margins_text(modes_.rows, 'r'));
      return;
    case 's':
      if (!modes_.has(69)) {  // without margins it saves the cursor
        pass(kSaveCursor);
        return;
      }
      modes_.cols = effective_margins(csi.argument(0, 1), csi.argument(1, 0), size_.cols);
      pass(margins_text(modes_.cols, 's'));
      return;
    case 'u':
      pass(kRestoreCursor);
      return;
    case 'T':
      if (csi.arguments().size() > 1) return;  // highlight mouse tracking, not scrolling
      break;
    default:
      if (std::string_view("@ABCDEFGHIKLMPSXZ`adefgm").find(final) == std::string_view::npos)
        return;
      break;
  }
  pass(csi.with_final(final));
}

void Emulator::on_string(char introducer, std::string_view payload) {
  if (introducer != ']' || payload.size() < 2 || payload[1] != ';') return;
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
  if (is_followed(mode)) {
    modes_.dec[mode] = on;
  } else if (mode != 6 && mode != 25 && mode != 1047 && mode != 1048 && mode != 1049) {
    return;
  }
  pass("\x1b[?" + std::to_string(mode) + (on ? 'h' : 'l'));
}

void Emulator::set_ansi_mode(int mode, bool on) {
  if (mode == 4) modes_.is_insert = on;
  if (mode == 20) modes_.is_newline = on;
  if (mode == 4 || mode == 20) pass("\x1b[" + std::to_string(mode) + (on ? 'h' : 'l'));
}

void Emulator::repeat_last(int count) {
  if (last_glyph_.empty()) return;
  std::size_t end = 0;
  next_code_point(last_glyph_, end);
  const std::string character = last_glyph_.substr(0, end);
  const int limit =
      std::clamp<int>(count, 1, size_.cols);  // a few bytes must not make us work for long
  for (int i = 0; i < limit; ++i) {
    if (character.size() == 1) {
      write_text(character);
    } else {
      on_code_point(character);
    }
  }
}

// Written out, since libvterm's own forgets which screen it shows. The cursor stays, its saved copy
// goes home.
void Emulator::soft_reset() {
  flush();
  const VTermPos cursor = cursor_of(vterm_.get());
  pass("\x1b[?6l\x1b[?69l\x1b[r\x1b[?1l\x1b[?7h\x1b[?25h\x1b[4l\x1b[20l\x1b>\x1b[0m\x1b[H");
  pass(kSaveCursor);
  pass("\x1b[" + std::to_string(cursor.row + 1) + ";" + std::to_string(cursor.col + 1) + "H");
  TerminalModes fresh;
  for (const auto& [mode, on] : modes_.dec) {
    if (mode != 1 && mode != 7 && mode != 69) fresh.dec[mode] = on;
  }
  modes_ = fresh;
}

int Emulator::on_termprop(VTermProp prop, VTermValue* value, void* self) {
  auto& emulator = *static_cast<Emulator*>(self);
  if (prop == VTERM_PROP_CURSORVISIBLE) emulator.is_cursor_visible_ = value->boolean != 0;
  if (prop == VTERM_PROP_ALTSCREEN && !emulator.is_spent_)
    emulator.is_alternate_ = value->boolean != 0;
  return 1;
}

int Emulator::on_line_pushed(int cols, const VTermScreenCell* cells, void* self) {
  auto& emulator = *static_cast<Emulator*>(self);
  if (emulator.is_spent_) return 1;
  std::span<const VTermScreenCell> line(cells, static_cast<std::size_t>(cols));
  while (!line.empty() && line.back().chars[0] == 0 && VTERM_COLOR_IS_DEFAULT_BG(&line.back().bg)) {
    line = line.first(line.size() - 1);
  }
  emulator.scrollback_.push_back(encode_line(emulator.glyphs_of(line)));
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
  std::string_view bytes = checked_;
  if (is_last_text_) {
    write_now(bytes.substr(0, bytes.size() - 1));
    before_last_ = cursor_of(vterm_.get());
    bytes = bytes.substr(bytes.size() - 1);
  }
  write_now(bytes);
  checked_.clear();
}

// libvterm leaves halves behind when wide characters are partly overwritten; like on other
// terminals, they are blanks.
Row Emulator::glyphs_of(std::span<const VTermScreenCell> cells) {
  Row glyphs;
  glyphs.reserve(cells.size());
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const VTermScreenCell& cell = cells[i];
    Glyph& glyph = glyphs.emplace_back();
    glyph.pen = {cell.attrs, cell.fg, cell.bg};
    if (cell.chars[0] == 0 || cell.chars[0] == kSecondHalf) continue;
    const int width = widths_.of(cell.chars[0]);
    if (width == 2) {
      if (i + 1 >= cells.size() || cells[i + 1].chars[0] != kSecondHalf) continue;
      glyph.width = 2;
      ++i;
    } else if (width == 0) {
      glyph.text = " ";  // a mark without a character to stand on
    }
    for (int k = 0; k < VTERM_MAX_CHARS_PER_CELL && cell.chars[k] != 0; ++k)
      append_utf8(glyph.text, cell.chars[k]);
  }
  return glyphs;
}

Grid Emulator::read_grid() {
  Grid grid(size_.rows);
  std::vector<VTermScreenCell> cells(size_.cols);
  for (int row = 0; row < size_.rows; ++row) {
    for (int col = 0; col < size_.cols; ++col) {
      vterm_screen_get_cell(screen_, {row, col}, &cells[static_cast<std::size_t>(col)]);
    }
    grid[static_cast<std::size_t>(row)] = glyphs_of(cells);
  }
  return grid;
}

Cursor Emulator::read_cursor() const {
  const VTermPos pos = cursor_of(vterm_.get());
  Cursor cursor{pos.row, pos.col, is_cursor_visible_, {}};
  const auto get = [&](VTermAttr attr) {
    VTermValue value{};
    vterm_state_get_penattr(state_, attr, &value);
    return value;
  };
  VTermScreenCellAttrs& attrs = cursor.pen.attrs;
  attrs.bold = get(VTERM_ATTR_BOLD).boolean & 1;
  attrs.underline = get(VTERM_ATTR_UNDERLINE).number & 3;
  attrs.italic = get(VTERM_ATTR_ITALIC).boolean & 1;
  attrs.blink = get(VTERM_ATTR_BLINK).boolean & 1;
  attrs.reverse = get(VTERM_ATTR_REVERSE).boolean & 1;
  attrs.strike = get(VTERM_ATTR_STRIKE).boolean & 1;
  attrs.font = get(VTERM_ATTR_FONT).number & 15;
  cursor.pen.fg = get(VTERM_ATTR_FOREGROUND).color;
  cursor.pen.bg = get(VTERM_ATTR_BACKGROUND).color;
  return cursor;
}

std::vector<int> Emulator::find_tab_stops() {
  write_now("\x1b[?6l\x1b[?69l\x1b[H");
  std::vector<int> stops;
  for (int last = 0;;) {
    write_now("\t");
    const int col = cursor_of(vterm_.get()).col;
    if (col <= last || col >= size_.cols - 1) return stops;
    stops.push_back(col);
    last = col;
  }
}

// Writes one more character and looks where it went: to the last column, or to the next line. (With
// two columns this cannot be told; then it is "no".)
bool Emulator::find_wrap_pending() {
  const VTermPos before = cursor_of(vterm_.get());
  // After a wide character the cursor waits on its left half.
  if (before.col < size_.cols - 2 || size_.cols <= 2) return false;
  write_now("\x1b[4lx");
  return cursor_of(vterm_.get()).col == 1;
}

}  // namespace sf::waypoint
