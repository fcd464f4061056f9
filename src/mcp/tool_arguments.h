// The arguments of a tool: both the JSON Schema and the check of a call use the same description.
// Pure.
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
  wire::Json fallback;                        // the default of a checked call; null: none
  std::vector<std::string> words;             // kWord: one of these
  std::uint64_t minimum = 0;                  // kWhole, kNumber
  std::uint64_t maximum = (1ULL << 53U) - 1;  // exact in every JSON reader
};

// JSON Schema 2020-12.
wire::Json input_schema(const std::vector<Argument>& arguments);

// Returns the call's arguments with defaults and without nulls. Errors name the argument, and their
// hint lists the valid ones.
Result<wire::Json> check_arguments(const std::vector<Argument>& arguments, const wire::Json& given);

}  // namespace sf::cli::mcp
