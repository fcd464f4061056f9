// Base64 (RFC 4648): encodes bytes that are not UTF-8 for JSON.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace sf::wire {

std::string to_base64(std::string_view bytes);
// Strict: requires padding, and refuses all characters outside of the alphabet.
Result<std::string> from_base64(std::string_view text);

// Whether a JSON string can hold the bytes directly. Overlong forms and surrogates are not valid.
bool is_utf8(std::string_view bytes);

}  // namespace sf::wire
