// waypoint-init: PID 1 of a Waypoint branch. Static and without dependencies, so that its image is
// small.
#include "shell/init/init.h"
#include "shell/init/private_data.h"

int main() {
  sf::waypoint::leave_file();
  sf::waypoint::run_init();
}
