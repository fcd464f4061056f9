// Chance: whether a command line names a source of randomness or the clock. Pure.
#pragma once

#include <string_view>

#include "control/command_log.h"

namespace sf::control {

// Looks for openssl rand, /dev/urandom, $RANDOM, uuidgen, mktemp, date ..., and for git, tar,
// python and others that write times into files. It cannot see what a program does internally: such
// a command is recognized only after its replay diverged. A false positive costs a snapshot; a
// false negative costs the states after the first replay.
bool draws_by_chance(std::string_view command);
bool draws_by_chance(const CommandLog& log);

}  // namespace sf::control
