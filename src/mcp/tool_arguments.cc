#include "mcp/tool_arguments.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace sf::cli::mcp {
namespace {

using wire::Json;

constexpr std::size_t kShownName = 64;

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

Json type_schema(const Argument& argument) {
  switch (argument.type) {
    case ArgumentType::kText:
      return {{"type", "string"}};
    case ArgumentType::kWord:
      return {{"type", "string"}, {"enum", argument.words}};
    case ArgumentType::kWhole:
      return {{"type", "integer"}, {"minimum", argument.minimum}, {"maximum", argument.maximum}};
    case ArgumentType::kNumber:
      return {{"type", "number"}, {"minimum", argument.minimum}, {"maximum", argument.maximum}};
    case ArgumentType::kFlag:
      return {{"type", "boolean"}};
    case ArgumentType::kTextList:
      return {{"type", "array"}, {"items", {{"type", "string"}}}};
    case ArgumentType::kTextMap:
      return {{"type", "object"}, {"additionalProperties", {{"type", "string"}}}};
  }
  return Json::object();
}

bool all_texts(const Json& container) {
  return std::all_of(container.begin(), container.end(),
                     [](const Json& one) { return one.is_string(); });
}

std::string range_text(const Argument& argument) {
  return std::to_string(argument.minimum) + " to " + std::to_string(argument.maximum);
}

// In JSON Schema, 5.0 is a whole number, too.
std::optional<std::uint64_t> whole_of(const Argument& argument, const Json& value) {
  if (!value.is_number() || (value.is_number_integer() && value < 0)) return std::nullopt;
  if (value.is_number_float()) {
    auto number = value.get<double>();
    bool is_whole = number == std::floor(number) && number >= 0 &&
                    number <= static_cast<double>(argument.maximum);
    if (!is_whole) return std::nullopt;
  }
  auto number = value.get<std::uint64_t>();
  if (number < argument.minimum || number > argument.maximum) return std::nullopt;
  return number;
}

// The problem with the value; empty: none.
std::string complaint(const Argument& argument, const Json& value) {
  switch (argument.type) {
    case ArgumentType::kText:
      return value.is_string() ? "" : "must be a string";
    case ArgumentType::kWord: {
      bool known = value.is_string() &&
                   std::find(argument.words.begin(), argument.words.end(),
                             value.get_ref<const std::string&>()) != argument.words.end();
      return known ? "" : "must be one of: " + joined(argument.words);
    }
    case ArgumentType::kWhole:
      return whole_of(argument, value) ? "" : "must be a whole number, " + range_text(argument);
    case ArgumentType::kNumber: {
      bool fits = value.is_number() &&
                  value.get<double>() >= static_cast<double>(argument.minimum) &&
                  value.get<double>() <= static_cast<double>(argument.maximum);
      return fits ? "" : "must be a number, " + range_text(argument);
    }
    case ArgumentType::kFlag:
      return value.is_boolean() ? "" : "must be true or false";
    case ArgumentType::kTextList:
      return value.is_array() && all_texts(value) ? "" : "must be a list of strings";
    case ArgumentType::kTextMap:
      return value.is_object() && all_texts(value) ? "" : "must be an object of strings";
  }
  return "";
}

std::string names_text(const std::vector<Argument>& arguments) {
  std::vector<std::string> names;
  for (const Argument& one : arguments)
    names.push_back(one.name + (one.required ? " (required)" : ""));
  return names.empty() ? "this tool has no arguments" : "arguments: " + joined(names);
}

}  // namespace

Json input_schema(const std::vector<Argument>& arguments) {
  Json properties = Json::object();
  Json required = Json::array();
  for (const Argument& argument : arguments) {
    Json schema = type_schema(argument);
    schema["description"] = argument.description;
    if (!argument.fallback.is_null()) schema["default"] = argument.fallback;
    properties[argument.name] = std::move(schema);
    if (argument.required) required.push_back(argument.name);
  }
  Json schema = {{"type", "object"}, {"properties", properties}, {"additionalProperties", false}};
  if (!required.empty()) schema["required"] = required;
  return schema;
}

Result<Json> check_arguments(const std::vector<Argument>& arguments, const Json& given) {
  for (const auto& [name, value] : given.items()) {
    bool known = std::any_of(arguments.begin(), arguments.end(),
                             [&key = name](const Argument& one) { return one.name == key; });
    if (!known)
      return invalid("unknown argument \"" + name.substr(0, kShownName) + "\"",
                     names_text(arguments));
  }
  Json checked = Json::object();
  for (const Argument& argument : arguments) {
    bool absent = !given.contains(argument.name) || given[argument.name].is_null();
    if (absent && argument.required)
      return invalid("\"" + argument.name + "\" is missing", names_text(arguments));
    if (absent) {
      if (!argument.fallback.is_null()) checked[argument.name] = argument.fallback;
      continue;
    }
    const Json& value = given[argument.name];
    if (std::string wrong = complaint(argument, value); !wrong.empty())
      return invalid("\"" + argument.name + "\" " + wrong, argument.description);
    checked[argument.name] = value;
    if (argument.type == ArgumentType::kWhole) checked[argument.name] = *whole_of(argument, value);
  }
  return checked;
}

}  // namespace sf::cli::mcp
