// SF_CHECK: a broken invariant ends the process, in release builds too. Never for input or system
// failures.
#pragma once

#include <cstdio>
#include <cstdlib>

#define SF_CHECK(condition)                                                                  \
  do {                                                                                       \
    if (!(condition)) {                                                                      \
      std::fprintf(stderr, "%s:%d: broken invariant: %s\n", __FILE__, __LINE__, #condition); \
      std::abort();                                                                          \
    }                                                                                        \
  } while (false)
