// Makes the manual page from the declared commands and options. Pure.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace sf::cli {

// statefork(1), in roff with the man macros.
std::string man_page(const CLI::App& app);

}  // namespace sf::cli
