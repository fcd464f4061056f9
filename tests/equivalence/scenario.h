// Scenario: a state and the commands that probe it. Plain data; runner.h defines how it is used.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "control/preserves.h"

namespace sf::equivalence {

enum class Asking {
  // The probe changes nothing. The reference is its output right before the checkpoint, in the same
  // branch: pids, inode numbers and addresses must be equal.
  kAgain,
  // The probe consumes the state ($?, wait, unread data). The reference comes from a second branch
  // that is prepared in the same way and never checkpointed, so such a probe prints no pids and no
  // inode numbers.
  kOnce,
};

struct Scenario {
  std::string name = {};                  // in CamelCase, since it becomes part of the test's name
  std::string user = "root";              // of the whole session
  std::vector<std::string> prepare = {};  // each exits with 0 ...
  int last_exit = 0;                      // ... but the last may exit with this
  std::vector<std::string> probe = {};    // each exits with 0 in the reference
  std::string expect = {};  // must occur in the reference, so that equal failures do not pass
  std::vector<std::string> disturb = {};  // runs before the general disturbance
  Asking asking = Asking::kAgain;
  // Capabilities that the scenario needs from a backend, besides those of its family.
  control::Preserves also_needs = {};
};

// Scenarios of one kind, and the capabilities that all of them need from a backend.
struct Family {
  std::string name;
  control::Preserves needs;
  std::vector<Scenario> scenarios;
};
std::vector<Family> all_families();

// Every session starts in /w, an empty directory that any user may write to, and has these in its
// PATH:
//   stateful               tests/programs
//   wait-for <command>...  tries until the command succeeds; fails after 30 s
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
// In no family: rows for all process engines, and rows for the native engine only.
std::vector<Scenario> standing_scenarios();
std::vector<Scenario> native_scenarios();

// Damages the branch: another directory, overwritten variables, deleted files, killed processes,
// occupied ports, closed descriptors. Requires: a branch of its own, since it kills every process
// that it can reach.
std::vector<std::string> damage();
// After these, hardly any command works: broken PATH, aliases, terminal, limits and options.
std::vector<std::string> blinding();

}  // namespace sf::equivalence
