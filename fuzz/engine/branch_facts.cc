// Tables of /proc: blank lines do not change the result.
#include "engine/capture_facts.h"
#include "input.h"

namespace sf::fuzz {

void branch_facts(std::string_view input) {
  const std::string table(input);
  bool in_flight = waypoint::has_tcp_in_flight(table);
  if (table.find('\n') != std::string::npos)  // the first line is a heading
    SF_CHECK(waypoint::has_tcp_in_flight(table + "\n \n") == in_flight);
  SF_CHECK(waypoint::has_entries(table + "\nentry\n"));
}

}  // namespace sf::fuzz
