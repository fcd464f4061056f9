// The limits of requests, each defined once. The daemon, the library, the command line and the MCP
// server use these constants. src/service/openapi.json and python/statefork/requests.py repeat the
// numbers; tests compare them (src/service/messages_test.cc, tests/python/test_api.py).
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/clock.h"

namespace sf {

// Bytes of one command line. Put longer ones into a file.
inline constexpr std::size_t kMaxCommand = 16U << 20U;
// Bytes of output that a caller may ask for. The output as text and the terminal's own bytes travel
// in one frame between keeper and daemon (wire::kMaxPayload).
inline constexpr std::size_t kMaxOutput = 48U << 20U;
// Bytes of output per stream, if the caller does not choose.
inline constexpr std::size_t kDefaultOutput = 1U << 20U;
// Time limit of a command, if the caller gives none.
inline constexpr milliseconds kDefaultTimeout{120'000};
// The longest time limit. A command without a time limit may run for ever.
inline constexpr milliseconds kMaxTimeout = std::chrono::hours(24 * 366);
// Bytes of a file that one request writes. Larger ones are sent in parts.
inline constexpr std::size_t kMaxFileWrite = 16U << 20U;
// Bytes of a file that one request reads.
inline constexpr std::size_t kMaxFileRead = 64U << 20U;
// Bytes of standard input that a client sends with a program.
inline constexpr std::size_t kMaxProgramInput = 16U << 20U;
// Bytes of one HTTP request: a command or a program's input, which base64 makes a third larger.
inline constexpr std::size_t kMaxHttpRequest = 24U << 20U;
// Bytes of keys queued until the program in the terminal reads them: enough for any usual paste.
// Every snapshot includes them.
inline constexpr std::size_t kMaxQueuedInput = 4U << 20U;
// Lines of scrollback that a terminal keeps and that a caller may request.
inline constexpr std::size_t kMaxScrollback = 2'000;
// Branches that one fork makes.
inline constexpr std::size_t kMaxForks = 256;
// Bytes of a command shown in lists and logs: its beginning and its end.
inline constexpr std::size_t kMaxShownCommand = 4096;

}  // namespace sf
