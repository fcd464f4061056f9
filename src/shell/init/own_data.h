// Init's written data, apart from its file.
#pragma once

namespace sf::waypoint {

// Puts anonymous memory with the same content in the place of the program's writable segment. A
// restore writes these pages before anything runs; pages of a file would have to be read first, in
// every branch anew, since each has files of its own.
void leave_file();

}  // namespace sf::waypoint
