// Log entries: any text has a short description of one line; a recorded size is read back.
#include "control/command_log.h"

#include "input.h"

namespace sf::fuzz {

void command_log(std::string_view input) {
  using namespace control;  // NOLINT: the only namespace of this file
  constexpr std::size_t kLongest = 128;
  LogEntry entry{.text = std::string(input)};
  for (EntryKind kind :
       {EntryKind::kCommand, EntryKind::kWriteFile, EntryKind::kResize, EntryKind::kKeys}) {
    entry.kind = kind;
    std::string text = describe(entry);
    SF_CHECK(text.find('\n') == std::string::npos);
    SF_CHECK(text.size() < kLongest);
  }
  entry.kind = EntryKind::kResize;
  (void)replay_size(entry);  // may read a damaged log

  Input in(input);
  const std::uint16_t rows = in.word();
  const std::uint16_t cols = in.word();
  SF_CHECK(replay_size(resize_entry(rows, cols)) == std::pair(rows, cols));
}

}  // namespace sf::fuzz
