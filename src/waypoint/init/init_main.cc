// waypoint-init: PID 1 of a Waypoint branch. Static and on its own: a small image to capture.
#include "waypoint/init/init.h"
#include "waypoint/init/own_data.h"

int main() {
  sf::waypoint::leave_file();
  sf::waypoint::run_init();
}
