// A manager that a test can kill. Opens the store, does one operation, and prints its
// acknowledgements:
//
//   faults-driver STORE DIE_AT start
//   faults-driver STORE DIE_AT checkpoint BRANCH
//   faults-driver STORE DIE_AT restore BRANCH CHECKPOINT
//   faults-driver STORE DIE_AT fork CHECKPOINT COUNT    prints one line for each fork
//   faults-driver STORE DIE_AT churn BRANCH COUNT SEED  checkpoints and restores in random order
//   faults-driver STORE DIE_AT abandon WORD             a branch with a checkpoint, then SIGKILL
//   faults-driver STORE DIE_AT hold                     keeps the store open until end of input
//   faults-driver STORE DIE_AT ahead BRANCH             takes a checkpoint, waits for its
//                                                       prerestore and end of input, restores it
//
// DIE_AT is a fault point or "none"; with "ahead" it applies to prerestores. A failed
// operation prints "failed CODE: DESCRIPTION" and exits with status 1.
// operation prints "failed CODE: DESCRIPTION" and ends with status 1.
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "branch_state.h"
#include "waypoint/waypoint.h"

namespace sf::faults {
namespace {

using waypoint::BranchId;
using waypoint::CheckpointId;
using waypoint::CheckpointInfo;
using waypoint::Waypoint;

void say(const std::string& line) {
  std::fputs((line + "\n").c_str(), stdout);
  std::fflush(stdout);
}

std::string failure(const Error& error) {
  std::string line = "failed " + std::string(to_string(error.code)) + ": " + error.describe();
  std::ranges::replace(line, '\n', ' ');
  return line;
}

Status churn(Waypoint& manager, const BranchId& branch, int count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<CheckpointId> taken;
  for (int i = 0; i < count; ++i) {
    if (!taken.empty() && random() % 3 == 0) {
      SF_TRY(manager.restore(branch, taken[random() % taken.size()]));
      say("restored");
      continue;
    }
    std::string word = "w" + std::to_string(seed) + "-" + std::to_string(i);
    SF_TRY(put_word(manager, branch, word));
    SF_TRY_ASSIGN(CheckpointInfo info, manager.checkpoint(branch));
    taken.push_back(info.id);
    say("checkpoint " + info.id.value() + " " + word);
  }
  return Ok{};
}

Status abandon(Waypoint& manager, const std::string& word) {
  SF_TRY_ASSIGN(BranchId branch, manager.start({}));
  SF_TRY(put_word(manager, branch, word));
  SF_TRY_ASSIGN(CheckpointInfo info, manager.checkpoint(branch));
  say(branch.value());
  say(info.id.value());
  ::raise(SIGKILL);
  return Ok{};
}

void wait_for_end_of_input() {
  char byte = 0;
  while (::read(STDIN_FILENO, &byte, 1) > 0) continue;
}

Status hold() {
  say("open");
  wait_for_end_of_input();
  return Ok{};
}

Status restore_prerestored(Waypoint& manager, const BranchId& branch) {
  SF_TRY_ASSIGN(CheckpointInfo info, manager.checkpoint(branch));
  say(info.id.value());
  manager.settle();
  for (const CheckpointId& ready : manager.ready()) say("ready " + ready.value());
  wait_for_end_of_input();
  SF_TRY(manager.restore(branch, info.id));
  say("restored");
  return Ok{};
}

Status run(const std::vector<std::string>& args) {
  const std::string& what = args.at(2);
  SF_TRY_ASSIGN(Waypoint manager,
                Waypoint::open({.store_dir = args.at(0),
                                .faults = {.die_at = args.at(1), .prerestore = what == "ahead"}}));
  if (what == "hold") return hold();
  if (what == "abandon") return abandon(manager, args.at(3));
  if (what == "start") {
    SF_TRY_ASSIGN(BranchId branch, manager.start({}));
    say(branch.value());
    return Ok{};
  }
  if (what == "fork") {
    for (const auto& fork : manager.fork(CheckpointId(args.at(3)), std::stoul(args.at(4))))
      say(fork ? fork->value() : failure(fork.error()));
    return Ok{};
  }
  BranchId branch(args.at(3));
  if (what == "checkpoint") {
    SF_TRY_ASSIGN(CheckpointInfo info, manager.checkpoint(branch));
    say(info.id.value());
    return Ok{};
  }
  if (what == "restore") {
    SF_TRY(manager.restore(branch, CheckpointId(args.at(4))));
    say("restored");
    return Ok{};
  }
  if (what == "ahead") return restore_prerestored(manager, branch);
  if (what == "churn")
    return churn(manager, branch, std::stoi(args.at(4)),
                 static_cast<unsigned>(std::stoul(args.at(5))));
  return invalid("unknown operation " + what);
}

}  // namespace
}  // namespace sf::faults

int main(int argc, char** argv) {
  sf::Status done = sf::faults::run({argv + 1, argv + argc});
  if (done) return 0;
  sf::faults::say(sf::faults::failure(done.error()));
  return 1;
}
