// Helpers for the JSON Schemas of tools' results. Results may have more fields than listed, since
// the daemon's answers grow. Pure.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "wire/json.h"

namespace sf::cli::mcp {

inline wire::Json text_field(const std::string& description) {
  return {{"type", "string"}, {"description", description}};
}
inline wire::Json whole_field(const std::string& description) {
  return {{"type", "integer"}, {"description", description}};
}
inline wire::Json flag_field(const std::string& description) {
  return {{"type", "boolean"}, {"description", description}};
}
inline wire::Json list_of(wire::Json items, const std::string& description) {
  return {{"type", "array"}, {"items", std::move(items)}, {"description", description}};
}
inline wire::Json texts_field(const std::string& description) {
  return list_of({{"type", "string"}}, description);
}
// Uses anyOf with two types, since some clients do not accept a list of types.
inline wire::Json or_null(wire::Json schema, const std::string& description) {
  wire::Json branches = wire::Json::array({std::move(schema), {{"type", "null"}}});
  return {{"anyOf", std::move(branches)}, {"description", description}};
}
// All fields except those in `optional` are required.
inline wire::Json object_of(const wire::Json& fields,
                            const std::vector<std::string>& optional = {}) {
  wire::Json required = wire::Json::array();
  for (const auto& [name, schema] : fields.items()) {
    bool always = true;
    for (const std::string& one : optional) always = always && one != name;
    if (always) required.push_back(name);
  }
  return {{"type", "object"}, {"properties", fields}, {"required", required}};
}

}  // namespace sf::cli::mcp
