// Makes init's writable data independent of its program file.
#pragma once

namespace sf::waypoint {

// Replaces the program's writable segment by anonymous memory with the same content. A restore
// writes these pages before the program runs. If they were pages of a file, every restore would
// have to read them first, since each branch has its own files.
void leave_file();

}  // namespace sf::waypoint
