#include "terminal/query_scanner.h"

#include <algorithm>

#include "terminal/csi_sequence.h"

namespace sf::waypoint {
namespace {

bool is_csi_query(std::string_view body, char final) {
  const CsiSequence csi(body);
  const std::string& between = csi.intermediates();
  if (between == "$") return final == 'p' || final == 'w';  // DECRQM, DECRQPSR
  if (!between.empty()) return false;
  switch (csi.leader()) {
    case 0:
      if (final == 't') {
        const int what = csi.argument(0, 0);
        return what == 11 || (what >= 13 && what <= 21 && what != 17);
      }
      return final == 'c' || final == 'n' || final == 'x';  // DA1, DSR, DECREQTPARM
    case '?':
      return final == 'n' || final == 'u' || final == 'm' || final == 'S';
    case '>':
      return final == 'c' || final == 'q';  // DA2, XTVERSION
    case '=':
      return final == 'c';  // DA3
    default:
      return false;
  }
}

// OSC numbers that can be queries: palette, colours of text, cursor and others, clipboard.
bool can_ask(std::string_view number) {
  if (number == "4" || number == "5" || number == "52") return true;
  return number.size() == 2 && number[0] == '1' && number[1] >= '0' && number[1] <= '9';
}

bool is_osc_query(std::string_view body) {
  for (std::size_t at = body.find(';'); at != std::string_view::npos; at = body.find(';', at + 1)) {
    if (body.substr(at + 1, body.find(';', at + 1) - at - 1) == "?") return true;
  }
  return false;
}

bool can_be_osc_query(std::string_view body) {
  const std::size_t end = body.find(';');
  if (end != std::string_view::npos) return can_ask(body.substr(0, end));
  return body.size() <= 2 &&
         std::all_of(body.begin(), body.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool can_be_dcs_query(std::string_view body) {
  return body.empty() || body == "$" || body == "+" || body.starts_with("$q") ||
         body.starts_with("+q");
}

}  // namespace

QueryScanner::Verdict QueryScanner::look() const {
  if (held_.size() > kMaxQuery) return Verdict::kOther;
  if (held_.size() == 2) {
    const char c = held_[1];
    if (c == 'Z') return Verdict::kQuery;  // DECID
    return c == '[' || c == ']' || c == 'P' ? Verdict::kOpen : Verdict::kOther;
  }
  const char last = held_.back();
  const auto byte = static_cast<unsigned char>(last);
  if (!is_string()) {
    if (byte < 0x20 || byte > 0x7e) return Verdict::kOther;
    if (byte < 0x40) return Verdict::kOpen;
    const std::string_view body = std::string_view(held_).substr(2, held_.size() - 3);
    return is_csi_query(body, last) ? Verdict::kQuery : Verdict::kOther;
  }
  const bool is_osc = held_[1] == ']';
  std::string_view body = std::string_view(held_).substr(2);
  if (body.size() > 1 && body[body.size() - 2] == '\x1b') {
    if (last != '\\') return Verdict::kOther;
    body.remove_suffix(2);
    const bool asks = is_osc ? is_osc_query(body) && can_be_osc_query(body)
                             : can_be_dcs_query(body) && body.size() > 1;
    return asks ? Verdict::kQuery : Verdict::kOther;
  }
  if (last == '\x1b') return Verdict::kOpen;
  if (last == '\x18' || last == '\x1a') return Verdict::kOther;
  if (is_osc && last == '\a') {
    body.remove_suffix(1);
    return is_osc_query(body) && can_be_osc_query(body) ? Verdict::kQuery : Verdict::kOther;
  }
  return (is_osc ? can_be_osc_query(body) : can_be_dcs_query(body)) ? Verdict::kOpen
                                                                    : Verdict::kOther;
}

TerminalQuery QueryScanner::query_of(std::string_view whole) {
  TerminalQuery query{.bytes = whole};
  if (whole[1] == '[') {
    query.final = whole.back();
    query.body = whole.substr(2, whole.size() - 3);
  } else if (whole[1] == ']' || whole[1] == 'P') {
    query.kind = whole[1] == ']' ? TerminalQuery::Kind::kOsc : TerminalQuery::Kind::kDcs;
    query.is_bell = whole.back() == '\a';
    query.body = whole.substr(2, whole.size() - (query.is_bell ? 3 : 4));
  } else {
    query.kind = TerminalQuery::Kind::kEscape;
    query.final = whole[1];
  }
  return query;
}

}  // namespace sf::waypoint
