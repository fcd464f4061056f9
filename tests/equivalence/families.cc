#include "scenario.h"

namespace sf::equivalence {

using control::Preserves;

std::vector<Family> all_families() {
  return {
      {"files", Preserves::kFiles, file_scenarios()},
      {"packages", Preserves::kFiles, package_scenarios()},
      {"shell", Preserves::kShell, shell_scenarios()},
      {"jobs", Preserves::kShell | Preserves::kProcesses, job_scenarios()},
      {"kernel", Preserves::kFiles | Preserves::kProcesses | Preserves::kMemory,
       kernel_scenarios()},
      {"services", Preserves::everything(), service_scenarios()},
  };
}

}  // namespace sf::equivalence
