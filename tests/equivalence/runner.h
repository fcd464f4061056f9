// Runs one scenario through every way of returning to a state, and compares the probe's output.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "scenario.h"
#include "session.h"

namespace sf::equivalence {

// Sets up the scenario's state. An unexpected exit code is an error that shows the output.
Status prepare(Session& session, const Scenario& scenario);

// The probe's output without any restore. Requires: `session` is prepared. Asking decides which
// session is probed.
Result<Observations> reference(Host& host, Session& session, const Scenario& scenario);

// An error if the reference does not contain what the scenario expects.
Status check_reference(const Scenario& scenario, const Observations& expected);

// Runs the scenario's own disturbance, then the general one. Their failures are ignored.
Status disturb(Session& session, const Scenario& scenario);

// True if `got` equals the reference; the message names `way`.
::testing::AssertionResult same(const Observations& expected, const Observations& got,
                                const std::string& way);

// Continue, restore, restore to a checkpoint of the restored branch, and fork. Reports each
// difference to GoogleTest.
void check_scenario(Host& host, const Scenario& scenario);

// For a state that the engine declines: the checkpoint is refused with `reason` and the branch
// continues unchanged.
void check_declined(Host& host, const Scenario& scenario, const std::string& reason);

}  // namespace sf::equivalence
