// Chance: does a command line name what gives something else each time? Pure.
#pragma once

#include <string_view>

#include "control/command_log.h"

namespace sf::control {

// openssl rand, /dev/urandom, $RANDOM, uuidgen, mktemp, date ...; git, tar, python and others that
// write times into files. What a program does inside cannot
// be read here: such a command is known once it was seen to diverge. A wrong yes costs a snapshot,
// a wrong no the states behind the first replay.
bool draws_by_chance(std::string_view command);
bool draws_by_chance(const CommandLog& log);

}  // namespace sf::control
