// What the native engine declines to capture, by scenario. Under `auto` these rows fall to CRIU and
// must pass all the same.
#pragma once

#include <optional>
#include <string>

namespace sf::equivalence {

// Part of the blocker that the engine names; nothing: it captures the scenario.
std::optional<std::string> native_declines(const std::string& scenario);

}  // namespace sf::equivalence
