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

// Opens a new terminal of the devpts instance at `pts_directory`; index 0 when it is the first.
Result<UniqueFd> open_terminal_master(const std::string& pts_directory);
Status set_window_size(int terminal, unsigned short rows, unsigned short columns);
Result<termios> terminal_settings(int terminal);
Status set_terminal_settings(int terminal, const termios& settings);
// Foreground process group in the caller's numbering; 0 when there is none.
pid_t foreground_group(int master);
// Drops what was typed and not yet read.
void discard_typed(int master);

// Whether a line was typed that nobody has read; nothing where the kernel does not tell.
std::optional<bool> has_typed(int master);
// What was typed and not yet read, complete lines or not; taken out of the queue. Requires: nobody
// reads or types meanwhile.
Result<TypedAhead> take_typed(int master);
// Puts it back without echoing it a second time.
Status put_typed(int master, const TypedAhead& typed);

}  // namespace sf::os
