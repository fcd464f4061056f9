#include "cli/daemon/typed_input.h"

namespace sf::cli {
namespace {

constexpr std::string_view kPasteBegins = "\x1b[200~";
constexpr std::string_view kPasteEnds = "\x1b[201~";

}  // namespace

TypedInput::Taken TypedInput::take(std::string_view bytes) {
  Taken taken;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (taken.detach) {
      ++taken.behind;
    } else if (bytes[i] == detach_key_ && !in_paste_) {
      taken.detach = true;
    } else {
      taken.keys += bytes[i];
    }
    const bool was_in_paste = in_paste_;
    note(bytes[i]);
    if (was_in_paste && !in_paste_ && taken.paste_end == 0) taken.paste_end = taken.keys.size();
  }
  return taken;
}

void TypedInput::note(char byte) {
  if (byte == '\x1b') last_.clear();
  last_ += byte;
  if (last_ == kPasteBegins) in_paste_ = true;
  if (last_ == kPasteEnds) in_paste_ = false;
  if (!kPasteBegins.starts_with(last_) && !kPasteEnds.starts_with(last_)) last_.clear();
}

}  // namespace sf::cli
