// One branch of the native engine, started before each test.
#pragma once

#include "../commands/fixture.h"

namespace sf::waypoint {

class NativeBranchTest : public CommandsTest {
 protected:
  void SetUp() override {
    CommandsTest::SetUp();
    BranchConfig config;
    config.engine = EngineChoice::kNative;
    branch_ = start(config);
  }

  CheckpointId take() {
    auto info = wp_->checkpoint(branch_);
    EXPECT_TRUE(info.ok()) << (info ? "" : info.error().describe());
    return info ? info->id : CheckpointId();
  }
};

}  // namespace sf::waypoint
