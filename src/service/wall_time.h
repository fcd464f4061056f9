// Formats wall time for people and JSON.
#pragma once

#include <string>

#include "control/names.h"

namespace sf::service {

control::WallTime wall_now();
// "2026-11-16T02:57:34.123456Z"
std::string to_iso_text(control::WallTime time);

}  // namespace sf::service
