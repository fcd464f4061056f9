// Base64: each value has exactly one encoding. UTF-8: the check agrees with the JSON library.
#include "wire/base64.h"

#include <nlohmann/json.hpp>
#include <string>

#include "input.h"
#include "wire/json.h"

namespace sf::fuzz {
namespace {

// The JSON library rejects strings that are not UTF-8.
bool can_be_written(std::string_view bytes) {
  try {
    (void)wire::Json(bytes).dump();
    return true;
  } catch (const wire::Json::type_error&) {
    return false;
  }
}

}  // namespace

void base64(std::string_view input) {
  auto decoded = wire::from_base64(input);
  if (decoded) {
    SF_CHECK(wire::to_base64(*decoded) == input);
  } else {
    check_clear(decoded.error(), ErrorCode::kInvalidArgument);
  }
  SF_CHECK(wire::from_base64(wire::to_base64(input)).value() == input);

  SF_CHECK(wire::is_utf8(input) == can_be_written(input));
  std::string text = wire::bytes_to_text(std::string(input));
  SF_CHECK(wire::is_utf8(text));
  SF_CHECK(wire::text_to_bytes(text) == input);
  wire::text_to_bytes(std::string(input));
}

}  // namespace sf::fuzz
