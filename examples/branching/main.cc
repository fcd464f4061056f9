// The example of the README. Requires root. Its store is below /var/tmp; it removes nothing else.
#include <iostream>

#include "waypoint/waypoint.h"

using namespace sf::waypoint;

int main(int argc, char** argv) {
  auto wp = Waypoint::open({.store_dir = argc > 1 ? argv[1] : "/var/lib/statefork"});
  if (!wp) return std::cerr << wp.error().describe() << "\n", 1;

  BranchId main = wp->start({.root = "/"}).value();  // a live terminal over this machine's root
  wp->exec(main, {.command = "cd /tmp; x=before; echo draft >plan; sleep 1000 &"}).value();
  CheckpointId here = wp->checkpoint(main).value().id;

  wp->exec(main, {.command = "x=after; rm plan; kill %1; cd /"}).value();  // damage the state
  if (auto back = wp->restore(main, here); !back)
    return std::cerr << back.error().describe() << "\n", 1;
  std::cout << wp->exec(main, {.command = "echo $x; cat plan; jobs; pwd"}).value().output;

  for (auto& fork : wp->fork(here, 3))  // three more live copies, isolated from each other
    std::cout << wp->exec(fork.value(), {.command = "echo $x $$ >>plan; cat plan"}).value().output;
  wp->end_all();
}
