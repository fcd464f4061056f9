// The manual page, from what --help knows. Pure.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace sf::cli {

// statefork(1), in roff with the man macros.
std::string man_page(const CLI::App& app);

}  // namespace sf::cli
