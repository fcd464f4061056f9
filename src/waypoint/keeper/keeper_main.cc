// waypoint-keeper: started by the library, one per live branch. Not for manual use.
#include <cstdio>
#include <string_view>

#include "waypoint/keeper/keeper.h"

int main(int argc, char** argv) {
  if (argc != 7) {
    std::fprintf(stderr,
                 "waypoint-keeper is started by StateFork, one per live branch; do not run it "
                 "by hand.\n");
    return 2;
  }
  sf::waypoint::KeeperOptions options;
  options.store_dir = argv[1];
  options.id = argv[2];
  options.criu = argv[3];
  options.criu_shim = argv[4];
  options.network = std::string_view(argv[5]) == "host" ? sf::waypoint::Network::kHost
                                                        : sf::waypoint::Network::kNone;
  options.for_criu = std::string_view(argv[6]) == "for-criu";
  sf::Status status = sf::waypoint::run_keeper(options);
  if (status) return 0;
  std::fprintf(stderr, "%s\n", status.error().describe().c_str());
  return 1;
}
