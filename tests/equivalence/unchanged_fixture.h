// A branch with some state of each kind, whose checkpoints may share the previous one.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "../commands/fixture.h"

namespace sf::waypoint {

class UnchangedTest : public CommandsTest {
 protected:
  // Reads everything below /w until no access time changes any more: relatime updates an access
  // time only if the file is newer than its last access.
  static constexpr const char* kSettle =
      "until [ -z \"$(find /w -printf '%A@ %C@ %T@\\n' | awk '$1 <= $2 || $1 <= $3')\" ]; do "
      "grep -rc '' /w; ls -R /w; done >/dev/null";

  std::string look(const BranchId& branch, const std::string& command) {
    auto result = wp_->exec(branch, {.command = command, .fingerprint = true});
    EXPECT_TRUE(result.ok()) << command << ": " << (result ? "" : result.error().describe());
    return result ? result->output : "";
  }
  CheckpointInfo checkpoint(const BranchId& branch) {
    auto taken = wp_->checkpoint(branch);
    EXPECT_TRUE(taken.ok()) << (taken ? "" : taken.error().describe());
    return taken ? *taken : CheckpointInfo{};
  }
  BranchId fork(const CheckpointId& id) {
    auto made = wp_->fork(id, 1);
    EXPECT_TRUE(made.front().ok()) << (made.front() ? "" : made.front().error().describe());
    return made.front() ? *made.front() : BranchId();
  }
  // Starts such a branch and takes a checkpoint of it. /fresh has never been read.
  CheckpointInfo begin(const BranchConfig& config = {}) {
    branch_ = start(config);
    look(branch_,
         "mkdir -p /w/d /fresh/e; cd /w; echo one > f; echo new > /fresh/g; x=5; RANDOM=7; ls");
    look(branch_, kSettle);
    return checkpoint(branch_);
  }
};

}  // namespace sf::waypoint
