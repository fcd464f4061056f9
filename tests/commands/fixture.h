// One branch per test suite, in its own store. Each test starts with a fresh shell or reports why
// not.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>

#include "testing/leak_check.h"
#include "testing/matchers.h"
#include "testing/temp_dir.h"
#include "waypoint/waypoint.h"

namespace sf::waypoint {

class CommandsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto opened = Waypoint::open({.store_dir = dir_.path() + "/store"});
    ASSERT_TRUE(opened.ok()) << opened.error().describe();
    leaks_.add_mark(dir_.path());
    wp_.emplace(std::move(*opened));
  }

  void TearDown() override {
    if (wp_) wp_->end_all();
    wp_.reset();
    leaks_.verify(Deadline::after(seconds(20)));
  }

  BranchId start(const BranchConfig& config = {}) {
    auto branch = wp_->start(config);
    EXPECT_TRUE(branch.ok()) << (branch ? "" : branch.error().describe());
    return branch ? *branch : BranchId();
  }

  // Runs `command` in `branch_`, which the first call starts.
  Observation run(const std::string& command, milliseconds timeout = milliseconds(60'000)) {
    if (branch_.empty()) branch_ = start();
    auto result = wp_->exec(branch_, {.command = command, .timeout = timeout, .raw = true});
    EXPECT_TRUE(result.ok()) << command << ": " << (result ? "" : result.error().describe());
    return result ? *result : Observation{.exit_code = -1};
  }
  std::string output(const std::string& command) { return run(command).output; }

  test::LeakCheck leaks_;
  test::TempDir dir_;
  std::optional<Waypoint> wp_;
  BranchId branch_;
};

}  // namespace sf::waypoint
