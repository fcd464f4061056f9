#include "terminal/clean_text.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace sf::waypoint {
namespace {

constexpr std::size_t kMaxParameter = 65535;

// Parses a single number such as "12". Returns `fallback` if `body` is empty, and nothing for
// private or longer forms, which are not supported.
std::optional<std::size_t> parameter(std::string_view body, std::size_t fallback) {
  if (body.empty()) return fallback;
  std::size_t value = 0;
  for (const char c : body) {
    if (c < '0' || c > '9') return std::nullopt;
    value = std::min(value * 10 + static_cast<std::size_t>(c - '0'), kMaxParameter);
  }
  return value;
}

}  // namespace

std::string clean_text(std::string_view raw) {
  TextCleaner cleaner;
  std::string text = cleaner.feed(raw);
  text += cleaner.finish();
  return text;
}

std::string TextCleaner::feed(std::string_view raw) {
  out_.reserve(raw.size());
  while (!raw.empty()) {
    if (parser_.is_between_tokens() && line_.is_blank()) raw.remove_prefix(copy_plain_lines(raw));
    // Parse one line, then try again.
    const std::size_t newline = raw.find('\n');
    const std::string_view line =
        raw.substr(0, newline == std::string_view::npos ? raw.size() : newline + 1);
    parser_.feed(line, *this);
    raw.remove_prefix(line.size());
  }
  return std::exchange(out_, {});
}

std::string TextCleaner::finish() {
  parser_.finish(*this);
  line_.release_into(out_);
  return std::exchange(out_, {});
}

// A fast path for most output: copies whole lines of printable ASCII and tabs. Returns the number
// of consumed bytes.
std::size_t TextCleaner::copy_plain_lines(std::string_view raw) {
  std::size_t done = 0;
  for (;;) {
    std::size_t end = done;
    while (end < raw.size()) {
      end += EscapeParser::ascii_run(raw.substr(end));
      if (end == raw.size() || raw[end] != '\t') break;
      ++end;
    }
    std::size_t next = end;
    if (next < raw.size() && raw[next] == '\r') ++next;
    if (next >= raw.size() || raw[next] != '\n') return done;
    out_.append(raw, done, end - done);
    out_ += '\n';
    done = next + 1;
  }
}

void TextCleaner::on_ascii(std::string_view run) {
  while (!run.empty()) {
    const std::string_view part = run.substr(0, kMaxLine - line_.column());
    line_.write_ascii(part);
    run.remove_prefix(part.size());
    release_if_long();
  }
}

void TextCleaner::on_code_point(std::string_view utf8) {
  line_.write_code_point(utf8);
  release_if_long();
}

void TextCleaner::on_control(char c) {
  switch (c) {
    case '\n':
      line_.release_into(out_);
      out_ += '\n';
      break;
    case '\r':
      line_.move_to(0);
      break;
    case '\b':
      if (line_.column() > 0) line_.move_to(line_.column() - 1);
      break;
    case '\t':
      line_.write_ascii("\t");
      release_if_long();
      break;
    default:
      break;
  }
}

void TextCleaner::on_csi(std::string_view body, char final) {
  if (final == 'K') {
    const std::optional<std::size_t> what = parameter(body, 0);
    if (what == 0U) line_.erase_to_end();
    if (what == 1U) line_.erase_to_cursor();
    if (what == 2U) line_.erase_all();
    return;
  }
  const std::optional<std::size_t> given = parameter(body, 1);
  if (!given) return;
  const std::size_t count = std::max<std::size_t>(*given, 1);
  switch (final) {
    case 'G':
    case '`':
      line_.move_to(count - 1);
      break;
    case 'C':
    case 'a':
      line_.move_to(line_.column() + count);
      break;
    case 'D':
      line_.move_to(line_.column() - std::min(count, line_.column()));
      break;
    case 'P':
      line_.delete_characters(count);
      break;
    case 'X':
      line_.erase_characters(count);
      break;
    case '@':
      line_.insert_blanks(count);
      break;
    default:
      break;
  }
}

void TextCleaner::release_if_long() {
  if (line_.column() >= kMaxLine) line_.release_into(out_);
}

}  // namespace sf::waypoint
