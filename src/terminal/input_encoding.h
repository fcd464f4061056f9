// encode_input: the bytes that a program gets when somebody does something at its terminal, given
// the modes that it has switched on. As xterm and tmux have it; Control with a key that has no
// control character is what tmux makes of it. Pure.
//
// libvterm's own keyboard is not used: it encodes C-i, C-m and many others as CSI u, which no
// program has asked for and few understand.
#pragma once

#include <string>
#include <string_view>

#include "base/input_events.h"
#include "base/key_names.h"
#include "base/result.h"
#include "terminal/screen.h"
#include "terminal/terminal_modes.h"

namespace sf::waypoint {

// Fails with kInvalidArgument, with nothing encoded: an unknown key; a mouse event that the program
// did not ask for or that lies outside of the screen.
Result<std::string> encode_input(const InputEvents& input, const TerminalModes& modes,
                                 WindowSize size);

std::string encode_key(const Key& key, const TerminalModes& modes);
// Between the marks of a bracketed paste if the program asked for them. Ends of lines become CR, as
// the Enter key sends it; other controls but tabs are left out, so that no part of the text can act
// as a key or end the paste.
std::string encode_paste(std::string_view text, const TerminalModes& modes);
Result<std::string> encode_mouse(const MouseEvent& event, const TerminalModes& modes,
                                 WindowSize size);

}  // namespace sf::waypoint
