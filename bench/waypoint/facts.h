// Facts: the machine, its load and the date of a run.
#pragma once

#include <string>

#include "base/result.h"

namespace sf::bench {

struct Facts {
  std::string date;  // UTC
  std::string kernel;
  unsigned cpus = 0;
  std::string load;  // before the first measurement
  std::string criu;  // version
  std::string file_layers;
  std::string store;  // path and file system
};

// Current averages over 1, 5 and 15 minutes.
std::string load_averages();
Result<Facts> collect_facts(const std::string& criu_path, const std::string& store_dir,
                            const std::string& file_layers);

}  // namespace sf::bench
