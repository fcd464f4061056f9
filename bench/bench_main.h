// The main function of every benchmark: turns failures into a message and an exit status.
#pragma once

#include <cstdio>
#include <exception>
#include <functional>

#include "base/result.h"

namespace sf::bench {

// Returns 0 if the benchmark ran, 2 if `parse` fails (its error contains the usage), and 1 for any
// other failure.
template <typename Options>
int run_main(const char* name, const std::function<Result<Options>()>& parse,
             const std::function<Status(const Options&)>& run) {
  auto report = [name](const char* text) { std::fprintf(stderr, "%s: %s\n", name, text); };
  try {
    Result<Options> options = parse();
    if (!options) {
      report(options.error().describe().c_str());
      return 2;
    }
    Status done = run(*options);
    if (!done) report(done.error().describe().c_str());
    return done ? 0 : 1;
  } catch (const std::exception& error) {
    report(error.what());
    return 1;
  }
}

}  // namespace sf::bench
