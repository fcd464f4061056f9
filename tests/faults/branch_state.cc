#include "branch_state.h"

namespace sf::faults {
namespace {

constexpr milliseconds kPatience{20'000};

// The coprocess is started once; a restored shell finds it again by the descriptors it holds.
constexpr const char* kPut = R"([[ -n $KEEP_PID ]] || {
  coproc KEEP { while read -r verb value; do [[ $verb = set ]] && held=$value; echo "$held"; done; }
}
echo "set $WORD" >&"${KEEP[1]}" && read -r _ <&"${KEEP[0]}" && echo "$WORD" > /root/word)";

constexpr const char* kLook = R"(echo get >&"${KEEP[1]}" && read -r held <&"${KEEP[0]}"
echo "$WORD $(</root/word) $held")";

Result<std::string> run(waypoint::Waypoint& manager, const waypoint::BranchId& branch,
                        const std::string& command) {
  SF_TRY_ASSIGN(waypoint::ExecResult result,
                manager.exec(branch, {.command = command, .timeout = kPatience}));
  if (result.timed_out || result.exit_code != 0 || result.shell_restarted)
    return fail(ErrorCode::kOs,
                "exit " + std::to_string(result.exit_code) + " after: " + result.output);
  return result.output;
}

}  // namespace

Status put_word(waypoint::Waypoint& manager, const waypoint::BranchId& branch,
                const std::string& word) {
  SF_TRY(run(manager, branch, "WORD=" + word + "\n" + kPut));
  return Ok{};
}

Result<std::string> word_in(waypoint::Waypoint& manager, const waypoint::BranchId& branch) {
  SF_TRY_ASSIGN(std::string seen, run(manager, branch, kLook));
  std::string word = seen.substr(0, seen.find(' '));
  if (seen != word + " " + word + " " + word + "\n") return "three words that differ: " + seen;
  return word;
}

Result<std::string> word_at(waypoint::Waypoint& manager, const waypoint::CheckpointId& checkpoint) {
  auto forks = manager.fork(checkpoint, 1);
  if (!forks[0]) return std::move(forks[0]).error().while_doing("forking " + checkpoint.value());
  auto word = word_in(manager, *forks[0]);
  SF_TRY(manager.end(*forks[0]));
  return word;
}

}  // namespace sf::faults
