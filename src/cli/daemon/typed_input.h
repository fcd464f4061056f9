// TypedInput: what a person types, on its way to a branch. Finds the detach key and knows whether a
// paste is under way. Pure.
#pragma once

#include <string>
#include <string_view>

namespace sf::cli {

class TypedInput {
 public:
  explicit TypedInput(char detach_key) : detach_key_(detach_key) {}

  struct Taken {
    std::string keys;        // for the branch
    bool detach = false;     // the key was typed; what came before it is in `keys`
    std::size_t behind = 0;  // bytes behind the detach key, for nobody
    // How many of `keys` belong to the paste that was under way, with its end; 0: it goes on, or
    // there was none.
    std::size_t paste_end = 0;
  };
  // Within a bracketed paste the detach key is text like any other.
  Taken take(std::string_view bytes);

  // Between the marks ESC[200~ and ESC[201~, with which a terminal surrounds a paste.
  bool in_paste() const { return in_paste_; }
  // Nothing came for long: the end of the paste was lost.
  void give_up_paste() { in_paste_ = false; }

 private:
  void note(char byte);

  char detach_key_;
  bool in_paste_ = false;
  std::string last_;  // the bytes that may be the beginning of a mark
};

}  // namespace sf::cli
