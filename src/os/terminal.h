// Pseudo-terminals, seen from the master side.
#pragma once

#include <sys/types.h>
#include <termios.h>

#include <optional>
#include <string>

#include "base/result.h"
#include "os/fd.h"
#include "os/terminals/typed_queue.h"

namespace sf::os {

// Opens a new terminal of the devpts instance at `pts_directory`. The first one gets index 0.
Result<UniqueFd> open_terminal_master(const std::string& pts_directory);
Status set_window_size(int terminal, unsigned short rows, unsigned short columns);
Result<termios> terminal_settings(int terminal);
Status set_terminal_settings(int terminal, const termios& settings);
// Foreground process group, as a pid of the caller's namespace; 0 if there is none.
pid_t foreground_group(int master);
// Discards typed input that no program has read.
void discard_typed(int master);

// Whether a typed line waits to be read; nullopt if the kernel does not tell.
std::optional<bool> has_typed(int master);
// Removes typed input from the queue and returns it, complete lines or not. Requires: no process
// reads from or types into the terminal at the same time.
Result<TypedAhead> take_typed(int master);
// Puts typed input back into the queue without echoing it again.
Status put_typed(int master, const TypedAhead& typed);

}  // namespace sf::os
