#include "terminal/unseen_output.h"

#include <utility>

namespace sf::waypoint {
namespace {

enum class Effect {
  kNone,      // no effect outside of its line
  kPen,       // SGR
  kPenReset,  // SGR 0: earlier pens have no effect
  kTitle,
  kCharset,
  kOther,  // any other effect
};

struct Token {
  std::size_t size = 1;
  Effect effect = Effect::kNone;
};

// A sequence that the end of the stream truncates. It has no effect yet.
Token cut_off(std::string_view rest) { return {rest.size(), Effect::kNone}; }

Token csi_at(std::string_view rest) {
  std::size_t end = 2;
  while (end < rest.size() && rest[end] >= '0' && rest[end] <= ';') ++end;
  if (end >= rest.size()) return cut_off(rest);
  const std::string_view arguments = rest.substr(2, end - 2);
  if (rest[end] == 'm') {
    const bool is_reset = arguments.empty() || arguments == "0";
    return {end + 1, is_reset ? Effect::kPenReset : Effect::kPen};
  }
  if (std::string_view("KGCDPX@`").find(rest[end]) != std::string_view::npos)
    return {end + 1, Effect::kNone};
  while (end < rest.size() && rest[end] >= 0x20 && rest[end] < 0x40) ++end;
  if (end >= rest.size()) return cut_off(rest);
  const bool has_final = rest[end] >= 0x40 && rest[end] < 0x7f;
  return {has_final ? end + 1 : end, Effect::kOther};
}

Token osc_at(std::string_view rest) {
  for (std::size_t i = 2; i < rest.size(); ++i) {
    const char c = rest[i];
    const bool is_ended = c == '\a' || (c == '\x1b' && i + 1 < rest.size() && rest[i + 1] == '\\');
    if (is_ended) {
      const std::size_t size = i + (c == '\a' ? 1U : 2U);
      if (rest.substr(2, 2) == "0;" || rest.substr(2, 2) == "2;") return {size, Effect::kTitle};
      // OSC 1... and OSC 4 may set or reset colours.
      const bool may_colour = rest[2] == '1' || rest.substr(2, 2) == "4;";
      return {size, may_colour ? Effect::kOther : Effect::kNone};
    }
    if (static_cast<unsigned char>(c) < 0x20) return {i, Effect::kOther};
  }
  return cut_off(rest);
}

// The end of a kOther token may be inside the real sequence. Then a sequence is unfinished at
// `begin`, which the caller of find_unseen_output() must check.
Token token_at(std::string_view rest) {
  const char c = rest[0];
  if (c != '\x1b') return {1, c == '\x0e' || c == '\x0f' ? Effect::kOther : Effect::kNone};
  if (rest.size() < 2 || rest == "\x1b(") return cut_off(rest);
  if (rest[1] == '[') return csi_at(rest);
  if (rest[1] == ']') return osc_at(rest);
  if (rest.substr(1, 2) == "(B") return {3, Effect::kCharset};
  return {2, Effect::kOther};
}

// Calls visit(offset, token) for every token that is not a plain character, LF or CR.
template <typename Visitor>
void for_each_token(std::string_view stream, Visitor visit) {
  for (std::size_t at = 0; at < stream.size();) {
    if (static_cast<unsigned char>(stream[at]) >= 0x20 || stream[at] == '\n' ||
        stream[at] == '\r') {
      ++at;
      continue;
    }
    const Token token = token_at(stream.substr(at));
    visit(at, token);
    at += token.size;
  }
}

std::string traces_of(std::string_view stream) {
  std::string pens;
  std::string_view title;
  std::string_view charset;
  for_each_token(stream, [&](std::size_t at, Token token) {
    const std::string_view bytes = stream.substr(at, token.size);
    if (token.effect == Effect::kPenReset) pens.clear();
    if (token.effect == Effect::kPenReset || token.effect == Effect::kPen) pens += bytes;
    if (token.effect == Effect::kTitle) title = bytes;
    if (token.effect == Effect::kCharset) charset = bytes;
  });
  std::string traces = std::move(pens);
  traces += title;
  traces += charset;
  return traces + "\r";  // the rest starts at the start of a line
}

// The last CR LF of [begin, end) after which that range has at least `lines` more line feeds. The
// cursor's column is known after a CR LF.
std::optional<std::size_t> last_known_line(std::string_view stream, std::size_t begin,
                                           std::size_t end, std::size_t lines) {
  for (std::size_t followed = 0;; ++followed) {
    end = stream.substr(0, end).rfind('\n');
    if (end == std::string_view::npos || end <= begin) return std::nullopt;
    if (followed >= lines && stream[end - 1] == '\r') return end;
  }
}

}  // namespace

std::optional<UnseenOutput> find_unseen_output(std::string_view stream, std::size_t rows,
                                               std::size_t kept) {
  std::size_t begin = 0;
  for_each_token(stream, [&](std::size_t at, Token token) {
    if (token.effect == Effect::kOther) begin = at + token.size;
  });
  auto bottom = last_known_line(stream, begin, stream.size(), kept);
  if (!bottom) return std::nullopt;
  auto last = last_known_line(stream, begin, *bottom, rows);
  if (!last) return std::nullopt;
  const std::size_t end = *last + 1;
  return UnseenOutput{begin, end, traces_of(stream.substr(begin, end - begin))};
}

}  // namespace sf::waypoint
