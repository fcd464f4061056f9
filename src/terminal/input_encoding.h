// encode_input: encodes keys, mouse events and pastes as the bytes that a program reads from its
// terminal. The encoding depends on the modes that the program has switched on, and follows xterm
// and tmux. Control with a key that has no control character follows tmux. Pure.
//
// libvterm's own keyboard is not used: it encodes C-i, C-m and many other keys as CSI u, which
// programs have not requested and few support.
#pragma once

#include <string>
#include <string_view>

#include "base/input_events.h"
#include "base/key_names.h"
#include "base/result.h"
#include "terminal/screen.h"
#include "terminal/terminal_modes.h"

namespace sf::waypoint {

// Encodes all events or none. kInvalidArgument: a key is unknown, or a mouse event is outside of
// the screen or was not requested by the program.
Result<std::string> encode_input(const InputEvents& input, const TerminalModes& modes,
                                 WindowSize size);

std::string encode_key(const Key& key, const TerminalModes& modes);
// Adds the marks of a bracketed paste if the program has requested them. Line ends become CR, as
// the Enter key sends it. Other controls except tabs are dropped, so that no part of the text can
// act as a key or end the paste.
std::string encode_paste(std::string_view text, const TerminalModes& modes);
Result<std::string> encode_mouse(const MouseEvent& event, const TerminalModes& modes,
                                 WindowSize size);

}  // namespace sf::waypoint
