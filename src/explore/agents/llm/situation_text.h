// Texts that describe a situation to a model, limited to a number of bytes. If a text is too long,
// its middle is omitted and replaced by a note. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "explore/search_agent.h"

namespace sf::explore::llm {

// Returns the whole text if it fits, else its beginning and its end. Never splits a UTF-8
// character.
std::string cut_middle(std::string_view text, std::size_t most);

// All steps; if they do not fit, the first and the last ones.
std::string path_text(const std::vector<Turn>& path, std::size_t most);
// The actions that were already tried from this state, with their lessons.
std::string siblings_text(const Situation& situation, std::size_t most);
std::string step_text(const Turn& turn, std::size_t most);
// Numbered from 1.
std::string candidates_text(const std::vector<Turn>& candidates, std::size_t most);

}  // namespace sf::explore::llm
