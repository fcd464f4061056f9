// SF_CHECK: aborts the process if an invariant is broken, in release builds too. Never use it for
// bad input or failed system calls.
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
