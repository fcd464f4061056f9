// A correction to CRIU's images. CRIU asks some process that has the terminal open which session it
// belongs to; when that happens to be a daemon of another session, the answer is none, and the
// image cannot be restored. The keeper knows better. Pure.
#pragma once

#include <string>

#include "base/result.h"

namespace sf::waypoint::criu {

// `image` is the content of tty-info.img. Terminals with number 0 that have no session get this
// one. kCorrupt when it is not such an image.
Result<std::string> with_terminal_session(const std::string& image, unsigned session,
                                          unsigned group);

}  // namespace sf::waypoint::criu
