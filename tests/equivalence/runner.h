// The runner: takes one scenario through every way a state can be come back to, and compares.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "scenario.h"
#include "session.h"

namespace sf::equivalence {

// Sets the scenario's state up; an unexpected exit code is an error that shows the output.
Status prepare(Session& session, const Scenario& scenario);

// What the probe prints where nothing was ever branched. `session` is prepared; see Asking for who
// is asked.
Result<Observations> reference(Host& host, Session& session, const Scenario& scenario);

// Whether the reference shows what the scenario is about.
Status check_reference(const Scenario& scenario, const Observations& expected);

// The scenario's own disturbance, then the general one. Failures are fine: it only has to go wrong.
Status disturb(Session& session, const Scenario& scenario);

// Whether `got` is what the reference says; the message names the way that was taken.
::testing::AssertionResult same(const Observations& expected, const Observations& got,
                                const std::string& way);

// Forward, back, back to a checkpoint of the restored branch, and a fork; reports each difference
// to GoogleTest.
void check_scenario(Host& host, const Scenario& scenario);

// A scenario that the engine declines: the checkpoint is refused, says why, and the branch goes on
// as if nobody had asked.
void check_declined(Host& host, const Scenario& scenario, const std::string& reason);

}  // namespace sf::equivalence
