// The outermost lines of every benchmark: failures become a message and an exit status.
#pragma once

#include <cstdio>
#include <exception>
#include <functional>

#include "base/result.h"

namespace sf::bench {

// 0: measured; 2: `options` is an error, which says how the program is used; 1: anything else.
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
