// Records of shell and init: a round trip keeps each record.
#include "shell/shell_protocol.h"

#include "input.h"
#include "shell/plain_command.h"
#include "shell/shell_fingerprint.h"

namespace sf::fuzz {
namespace {

using waypoint::Record;

constexpr std::string_view kLetters = "B?SEGRQLAPXFD";  // in the order of Record::Kind; ?: traced

std::string written(const Record& record) {
  if (record.kind == Record::Kind::kTraced) return "trap -- ";
  std::string line(1, kLetters[static_cast<std::size_t>(record.kind)]);
  for (long number : record.numbers) line += " " + std::to_string(number);
  return record.text.empty() ? line : line + " " + record.text;
}

bool wants_answer(Record::Kind kind) {
  return kind == Record::Kind::kLoad || kind == Record::Kind::kStart || kind == Record::Kind::kEnd;
}

}  // namespace

void shell_protocol(std::string_view input) {
  // The line that is typed for a command contains no other line break.
  std::string typed = waypoint::run_line(1, 7, input);
  SF_CHECK(typed.find('\n') == typed.size() - 1);

  (void)waypoint::is_plain(input);
  (void)waypoint::parse_fingerprint(input, "@1");

  auto record = waypoint::parse_record(input);
  if (!record) return;
  auto again = waypoint::parse_record(written(*record));
  SF_CHECK(again.has_value());
  SF_CHECK(again->kind == record->kind && again->numbers == record->numbers);
  SF_CHECK(again->text == record->text);
  if (!wants_answer(record->kind)) return;
  std::string answer = waypoint::answer_to(*record);
  SF_CHECK(answer.back() == '\n');
  SF_CHECK(answer.find(' ' + std::to_string(record->numbers.at(0)) + '\n') == 1);
}

}  // namespace sf::fuzz
