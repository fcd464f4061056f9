// Waits until a branch's screen shows a text.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "testing/matchers.h"
#include "waypoint/waypoint.h"

namespace sf::waypoint {

inline std::string screen_text(Waypoint& wp, const BranchId& branch) {
  auto screen = wp.screen(branch);
  EXPECT_OK(screen);
  std::string all;
  if (screen)
    for (const std::string& row : screen->rows) all += row + "\n";
  return all;
}

// Reads the screen until a row contains `text`.
inline void expect_on_screen(Waypoint& wp, const BranchId& branch, const std::string& text) {
  Deadline deadline = Deadline::after(seconds(20));
  for (;;) {
    const std::string all = screen_text(wp, branch);
    if (all.find(text) != std::string::npos) return;
    ASSERT_FALSE(deadline.passed()) << "not on the screen: " << text << "\n" << all;
  }
}

}  // namespace sf::waypoint
