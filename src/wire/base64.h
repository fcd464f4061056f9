// Base64 (RFC 4648): how bytes that are no text travel in JSON.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace sf::wire {

std::string to_base64(std::string_view bytes);
// Strict: the padding must be there, and nothing else than the alphabet.
Result<std::string> from_base64(std::string_view text);

// Can it stand in a JSON string as it is? Overlong forms and surrogates are no UTF-8.
bool is_utf8(std::string_view bytes);

}  // namespace sf::wire
