// What a tool takes: one description from which the JSON Schema is made and a call is checked, so
// that the two cannot disagree. Pure.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/result.h"
#include "wire/json.h"

namespace sf::cli::mcp {

enum class ArgumentType { kText, kWord, kWhole, kNumber, kFlag, kTextList, kTextMap };

struct Argument {
  std::string name;
  ArgumentType type = ArgumentType::kText;
  std::string description;
  bool required = false;
  wire::Json fallback;                        // the default, which a checked call has; null: none
  std::vector<std::string> words;             // kWord: one of these
  std::uint64_t minimum = 0;                  // kWhole, kNumber
  std::uint64_t maximum = (1ULL << 53U) - 1;  // what every JSON reader can hold
};

// JSON Schema 2020-12.
wire::Json input_schema(const std::vector<Argument>& arguments);

// The call's arguments, with defaults filled in and nulls left out. Errors name the argument, and
// their hint says what there is.
Result<wire::Json> check_arguments(const std::vector<Argument>& arguments, const wire::Json& given);

}  // namespace sf::cli::mcp
