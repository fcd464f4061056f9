// Scenario: a state worth keeping and how to look at it. Plain data; runner.h says what is done
// with it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "control/preserves.h"

namespace sf::equivalence {

enum class Asking {
  // The probe leaves things as they were. The reference is what it prints right before the
  // checkpoint, in the same
  // branch: pids, inode numbers and addresses must come out the same, digit by digit.
  kAgain,
  // The probe uses up what it looks at ($?, wait, unread data). The reference comes from a second
  // branch that is
  // prepared alike and never checkpointed, so such a probe prints no pids and no inode numbers.
  kOnce,
};

struct Scenario {
  std::string name = {};                  // CamelCase, it becomes part of the test's name
  std::string user = "root";              // of the whole session
  std::vector<std::string> prepare = {};  // each exits 0 ...
  int last_exit = 0;                      // ... but the last may be meant to fail
  std::vector<std::string> probe = {};    // each exits 0 in the reference
  std::string expect = {};  // part of the reference: it is not equal just because all failed alike
  std::vector<std::string> disturb = {};  // on top of the general one, before it
  Asking asking = Asking::kAgain;
  // What a backend must bring back for the probe to print the same, beside what its family needs.
  control::Preserves also_needs = {};
};

// Scenarios of one kind, and what a backend must bring back for all of them.
struct Family {
  std::string name;
  control::Preserves needs;
  std::vector<Scenario> scenarios;
};
std::vector<Family> all_families();

// Every session starts in /w, an empty directory that anybody may write to, and finds these in its
// PATH:
//   stateful               tests/programs
//   wait-for <command>...  tries until the command succeeds; fails after half a minute
std::vector<Scenario> shell_scenarios();
std::vector<Scenario> job_scenarios();
std::vector<Scenario> file_scenarios();
std::vector<Scenario> package_scenarios();
std::vector<Scenario> service_scenarios();
std::vector<Scenario> kernel_scenarios();

// One feature of tests/programs.
struct FeatureRow {
  const char* name;
  const char* feature;
  Asking asking = Asking::kAgain;
};
std::vector<Scenario> feature_scenarios(std::span<const FeatureRow> rows);
// In no family: rows for all process engines, and for the native one alone.
std::vector<Scenario> standing_scenarios();
std::vector<Scenario> native_scenarios();

// Goes astray: another directory, spoilt variables, deleted files, killed processes, taken ports,
// closed descriptors. Requires: a branch of its own; it kills every process that it can reach.
std::vector<std::string> damage();
// Afterwards hardly any command works: broken PATH and aliases, terminal, limits, options.
std::vector<std::string> blinding();

}  // namespace sf::equivalence
