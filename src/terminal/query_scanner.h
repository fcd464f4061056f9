// QueryScanner: finds the questions that programs put to their terminal in what they print: where
// is the cursor, what are you, which colours. Pure.
//
// A handler has on_other(bytes) and on_query(TerminalQuery). Told in the order of the stream; what
// is told, glued together, is the stream, and does not depend on how it was cut into feeds. A
// sequence that may still turn out to be a question is held back until that is known; so whoever
// passes on the rest (QueryFilter) hides all questions from a terminal that would answer, too.
#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace sf::waypoint {

struct TerminalQuery {
  enum class Kind { kEscape, kCsi, kOsc, kDcs };
  Kind kind = Kind::kCsi;
  std::string_view body;   // kCsi: up to the final byte; kOsc, kDcs: up to the terminator
  char final = 0;          // kEscape, kCsi
  bool is_bell = false;    // kOsc: ended by BEL; the answer ends in the same way
  std::string_view bytes;  // all of it
};

class QueryScanner {
 public:
  static constexpr std::size_t kMaxQuery = 512;  // longer sequences are no questions

  template <typename Handler>
  void feed(std::string_view bytes, Handler& handler) {
    std::size_t begin = 0;  // not told yet
    std::size_t at = 0;
    while (at < bytes.size()) {
      if (held_.empty()) {
        const std::size_t escape = bytes.find('\x1b', at);
        if (escape == std::string_view::npos) break;
        if (escape > begin) handler.on_other(bytes.substr(begin, escape - begin));
        held_ = '\x1b';
        at = begin = escape + 1;
        continue;
      }
      const char c = bytes[at];
      if (c == '\x1b' && !is_string()) {  // begins anew
        handler.on_other(std::string_view(held_));
        held_.clear();
        begin = at;
        continue;
      }
      held_ += c;
      begin = ++at;
      step(handler);
    }
    if (held_.empty() && begin < bytes.size()) handler.on_other(bytes.substr(begin));
  }

  // Not told yet: the beginning of what may become a question.
  std::string_view held() const { return held_; }

 private:
  bool is_string() const { return held_.size() > 1 && (held_[1] == ']' || held_[1] == 'P'); }

  template <typename Handler>
  void step(Handler& handler) {
    switch (look()) {
      case Verdict::kOpen:
        return;
      case Verdict::kQuery: {
        const std::string whole = std::exchange(held_, {});
        handler.on_query(query_of(whole));
        return;
      }
      case Verdict::kOther: {
        // The ESC that cut a string short may begin another sequence.
        const bool begins = held_.size() > 2 && held_[held_.size() - 2] == '\x1b';
        const std::string rest = begins ? held_.substr(held_.size() - 2) : "";
        handler.on_other(std::string_view(held_).substr(0, held_.size() - rest.size()));
        held_.clear();
        if (begins) feed(rest, handler);
        return;
      }
    }
  }

  enum class Verdict { kOpen, kQuery, kOther };
  Verdict look() const;
  static TerminalQuery query_of(std::string_view whole);

  std::string held_;  // begins with ESC; empty: outside of sequences
};

// Passes on all but the questions.
class QueryFilter {
 public:
  std::string feed(std::string_view bytes) {
    Collector collector;
    scanner_.feed(bytes, collector);
    return std::move(collector.passed);
  }

 private:
  struct Collector {
    std::string passed;
    void on_other(std::string_view bytes) { passed += bytes; }
    void on_query(const TerminalQuery& /*query*/) {}
  };
  QueryScanner scanner_;
};

}  // namespace sf::waypoint
