// TypedInput: scans typed input for the detach key and for bracketed pastes. Pure.
#pragma once

#include <string>
#include <string_view>

namespace sf::cli {

class TypedInput {
 public:
  explicit TypedInput(char detach_key) : detach_key_(detach_key) {}

  struct Taken {
    std::string keys;        // for the branch
    bool detach = false;     // the detach key was typed; `keys` has the bytes before it
    std::size_t behind = 0;  // discarded bytes after the detach key
    // Number of bytes of `keys` up to the end of a paste that began earlier; 0 if it has not ended
    // or there was none.
    std::size_t paste_end = 0;
  };
  // Within a bracketed paste the detach key is ordinary text.
  Taken take(std::string_view bytes);

  // Between the marks ESC[200~ and ESC[201~, with which a terminal surrounds a paste.
  bool in_paste() const { return in_paste_; }
  // Call this after a long pause: the end mark of the paste was lost.
  void give_up_paste() { in_paste_ = false; }

 private:
  void note(char byte);

  char detach_key_;
  bool in_paste_ = false;
  std::string last_;  // a possible beginning of a mark
};

}  // namespace sf::cli
