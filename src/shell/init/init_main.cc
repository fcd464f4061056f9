// waypoint-init: PID 1 of a Waypoint branch. Static and on its own: a small image to capture.
#include "shell/init/init.h"
#include "shell/init/own_data.h"

int main() {
  sf::waypoint::leave_file();
  sf::waypoint::run_init();
}
