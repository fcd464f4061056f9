// Problems: any reply gives an error with a message, and the daemon's own problems survive a round
// trip.
#include "wire/problem.h"

#include <nlohmann/json.hpp>

#include "input.h"

namespace sf::fuzz {

void problem(std::string_view input) {
  Input in(input);
  int status = in.word();
  Error error = wire::error_from_problem(status, in.rest());
  check_clear(error);
  Error again = wire::error_from_problem(wire::http_status(error.code),
                                         wire::problem_from_error(error).dump());
  SF_CHECK(again.code == error.code);
  SF_CHECK(again.message == error.message && again.hint == error.hint);
  SF_CHECK(again.details == error.details);
}

}  // namespace sf::fuzz
