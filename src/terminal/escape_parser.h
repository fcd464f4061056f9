// EscapeParser: splits a terminal's byte stream into text, controls and escape sequences. Pure. It
// knows the syntax of sequences, not their meaning. Used by TextCleaner, which drops most
// sequences, and by Emulator, which executes them.
//
// Bytes 0x80..0x9f are never C1 controls: in UTF-8 they are parts of characters. Invalid UTF-8
// becomes U+FFFD, one per maximal invalid subpart. U+0080..U+009F, which are invisible controls,
// are dropped. ESC, CAN and SUB end any sequence. Other controls inside ESC and CSI sequences are
// passed on immediately, as on a real terminal. Memory is bounded: an overlong CSI is ignored, an
// overlong string (OSC, DCS, ...) keeps its first kMaxString bytes.
//
// A handler has: on_ascii(run of 0x20..0x7e), on_code_point(the bytes of one non-ASCII character),
// on_control(C0 byte), on_escape(intermediates, final), on_csi(bytes between CSI and final, final),
// on_string(introducer, payload). Apart from the length of the ASCII runs, the calls do not depend
// on how the stream was cut into feeds.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sf::waypoint {

class EscapeParser {
 public:
  static constexpr std::size_t kMaxSequence = 256;
  static constexpr std::size_t kMaxString = 4096;

  template <typename Handler>
  void feed(std::string_view bytes, Handler& handler) {
    std::size_t at = 0;
    while (at < bytes.size()) {
      if (state_ == State::kText && held_.empty()) {
        at = feed_text(bytes, at, handler);
      } else {
        step(bytes[at++], handler);
      }
    }
  }

  // Call at the end of the stream. A truncated character becomes U+FFFD; a truncated sequence is
  // dropped.
  template <typename Handler>
  void finish(Handler& handler) {
    if (state_ == State::kText && !held_.empty()) handler.on_code_point(kReplacement);
    state_ = State::kText;
    held_.clear();
  }

  bool is_between_tokens() const { return state_ == State::kText && held_.empty(); }

  // The bytes that bring a new parser into this one's state.
  std::string unfinished() const;

  // Length of the run of 0x20..0x7e at the start of `bytes`.
  static std::size_t ascii_run(std::string_view bytes) {
    std::size_t n = 0;
    while (n < bytes.size() && is_printable(bytes[n])) ++n;
    return n;
  }

 private:
  enum class State { kText, kEscape, kCsi, kString, kStringEscape };
  static constexpr std::string_view kReplacement = "\xef\xbf\xbd";

  static bool is_printable(char c) { return static_cast<unsigned char>(c - 0x20) < 0x5f; }
  static bool is_string_introducer(char c) {
    return c == ']' || c == 'P' || c == '_' || c == '^' || c == 'X' ||
           c == 'k';  // OSC DCS APC PM SOS, screen's title
  }
  // The length of a character that starts with `lead`; 0: `lead` is not a valid first byte.
  static std::size_t utf8_length(unsigned char lead) {
    if (lead >= 0xc2 && lead <= 0xdf) return 2;
    if (lead >= 0xe0 && lead <= 0xef) return 3;
    if (lead >= 0xf0 && lead <= 0xf4) return 4;
    return 0;
  }
  // Whether `c` may follow the valid, unfinished prefix `prefix`. Excludes overlong forms,
  // surrogates and code points above U+10FFFF.
  static bool continues_utf8(std::string_view prefix, unsigned char c) {
    if (prefix.size() == 1) {
      switch (static_cast<unsigned char>(prefix[0])) {
        case 0xe0:
          return c >= 0xa0 && c <= 0xbf;
        case 0xed:
          return c >= 0x80 && c <= 0x9f;
        case 0xf0:
          return c >= 0x90 && c <= 0xbf;
        case 0xf4:
          return c >= 0x80 && c <= 0x8f;
        default:
          break;
      }
    }
    return c >= 0x80 && c <= 0xbf;
  }

  // The size of the character at the start of `rest`, if it is complete and not a C1 control; else
  // 0.
  static std::size_t whole_code_point(std::string_view rest) {
    const std::size_t size = utf8_length(static_cast<unsigned char>(rest[0]));
    if (size == 0 || size > rest.size()) return 0;
    for (std::size_t i = 1; i < size; ++i) {
      if (!continues_utf8(rest.substr(0, i), static_cast<unsigned char>(rest[i]))) return 0;
    }
    const bool is_c1 = rest[0] == '\xc2' && static_cast<unsigned char>(rest[1]) < 0xa0;
    return is_c1 ? 0 : size;
  }

  template <typename Handler>
  std::size_t feed_text(std::string_view bytes, std::size_t at, Handler& handler) {
    if (const std::size_t run = ascii_run(bytes.substr(at)); run > 0) {
      handler.on_ascii(bytes.substr(at, run));
      return at + run;
    }
    const std::string_view rest = bytes.substr(at);
    if (const std::size_t size = whole_code_point(rest); size > 0) {
      handler.on_code_point(rest.substr(0, size));
      return at + size;
    }
    step(bytes[at], handler);
    return at + 1;
  }

  template <typename Handler>
  void step(char c, Handler& handler) {
    switch (state_) {
      case State::kText:
        return step_text(c, handler);
      case State::kEscape:
        return step_escape(c, handler);
      case State::kCsi:
        return step_csi(c, handler);
      case State::kString:
        return step_string(c, handler);
      case State::kStringEscape:
        if (c == '\\') {
          end_sequence();
          handler.on_string(introducer_, std::string_view(ended_));
        } else {  // the ESC starts another sequence; the unterminated string is dropped
          begin(State::kEscape);
          step_escape(c, handler);
        }
        return;
    }
  }

  template <typename Handler>
  void step_text(char c, Handler& handler) {
    const auto byte = static_cast<unsigned char>(c);
    if (!held_.empty()) {
      if (continues_utf8(held_, byte)) {
        held_ += c;
        if (held_.size() < utf8_length(static_cast<unsigned char>(held_[0]))) return;
        end_sequence();
        const bool is_c1 = ended_[0] == '\xc2' && byte < 0xa0;
        if (!is_c1) handler.on_code_point(std::string_view(ended_));
        return;
      }
      held_.clear();
      handler.on_code_point(kReplacement);
    }
    if (c == '\x1b') {
      begin(State::kEscape);
    } else if (byte < 0x20 || byte == 0x7f) {
      handler.on_control(c);
    } else if (byte < 0x80) {
      handler.on_ascii(std::string_view(&c, 1));
    } else if (utf8_length(byte) > 0) {
      held_ = c;
    } else {
      handler.on_code_point(kReplacement);
    }
  }

  // Handles bytes that end or interrupt ESC and CSI sequences. Returns false if `c` is part of the
  // sequence.
  template <typename Handler>
  bool interrupts(char c, Handler& handler) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\x1b') {
      begin(State::kEscape);
    } else if (c == '\x18' || c == '\x1a') {
      begin(State::kText);
    } else if (byte >= 0x80) {  // not valid in a sequence: drop the sequence and keep the text
                                // after it
      begin(State::kText);
      step_text(c, handler);
    } else if (byte < 0x20) {
      handler.on_control(c);
    } else {
      return byte == 0x7f;
    }
    return true;
  }

  template <typename Handler>
  void step_escape(char c, Handler& handler) {
    if (interrupts(c, handler)) return;
    if (c < 0x30) {
      hold(c, kMaxSequence + 1);
    } else if (held_.empty() && c == '[') {
      begin(State::kCsi);
    } else if (held_.empty() && is_string_introducer(c)) {
      begin(State::kString);
      introducer_ = c;
    } else {
      end_sequence();
      if (ended_.size() <= kMaxSequence) handler.on_escape(std::string_view(ended_), c);
    }
  }

  template <typename Handler>
  void step_csi(char c, Handler& handler) {
    if (interrupts(c, handler)) return;
    if (c < 0x40) {
      hold(c, kMaxSequence + 1);
    } else {
      end_sequence();
      if (ended_.size() <= kMaxSequence) handler.on_csi(std::string_view(ended_), c);
    }
  }

  template <typename Handler>
  void step_string(char c, Handler& handler) {
    if (c == '\x1b') {
      state_ = State::kStringEscape;
    } else if (c == '\x18' || c == '\x1a') {
      begin(State::kText);
    } else if (c == '\a' && introducer_ == ']') {
      end_sequence();
      handler.on_string(introducer_, std::string_view(ended_));
    } else {
      hold(c, kMaxString);
    }
  }

  void begin(State state) {
    state_ = state;
    held_.clear();
  }
  void end_sequence() {
    ended_.swap(held_);
    begin(State::kText);
  }
  void hold(char c, std::size_t limit) {
    if (held_.size() < limit) held_ += c;
  }

  State state_ = State::kText;
  char introducer_ = 0;  // of the string being read
  std::string
      held_;  // kText: the start of a character; else the sequence's bytes after its introducer
  std::string ended_;  // the last finished token, valid during the handler's call
};

}  // namespace sf::waypoint
