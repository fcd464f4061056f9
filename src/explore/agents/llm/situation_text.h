// What a model reads of a situation, within a number of bytes: what is left out is the middle, and
// the text says so. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "explore/search_agent.h"

namespace sf::explore::llm {

// Whole when it fits; else its beginning and its end, with characters of UTF-8 left whole.
std::string cut_middle(std::string_view text, std::size_t most);

// All steps; when they do not fit, the first and the last ones.
std::string path_text(const std::vector<Turn>& path, std::size_t most);
// What was tried from here already, and what was learnt.
std::string siblings_text(const Situation& situation, std::size_t most);
std::string step_text(const Turn& turn, std::size_t most);
// Numbered from 1, as people do.
std::string candidates_text(const std::vector<Turn>& candidates, std::size_t most);

}  // namespace sf::explore::llm
