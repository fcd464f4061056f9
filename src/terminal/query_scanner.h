// QueryScanner: finds the queries that programs send to their terminal in their output, such as
// queries for the cursor position, the terminal type or colours. Pure.
//
// A handler has on_other(bytes) and on_query(TerminalQuery), called in the order of the stream. The
// concatenated bytes of all calls are the stream, and the queries do not depend on how it was cut
// into feeds. A sequence that may become a query is held back until it is complete. So a handler
// that passes on only the other bytes (QueryFilter) hides all queries from another terminal that
// would also answer them.
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
  bool is_bell = false;    // kOsc: terminated by BEL; the answer must be, too
  std::string_view bytes;  // the whole sequence
};

class QueryScanner {
 public:
  static constexpr std::size_t kMaxQuery = 512;  // longer sequences are not queries

  template <typename Handler>
  void feed(std::string_view bytes, Handler& handler) {
    std::size_t begin = 0;  // start of the bytes not passed to the handler yet
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
      if (c == '\x1b' && !is_string()) {  // starts another sequence
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

  // The start of a sequence that may become a query.
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
        // The ESC that interrupted a string may start another sequence.
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

  std::string held_;  // starts with ESC; empty outside of sequences
};

// Passes on all bytes except queries.
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
