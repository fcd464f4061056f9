#include "wire/json_fields.h"

#include <nlohmann/json.hpp>

namespace sf::wire {
namespace {

constexpr std::size_t kShownKey = 64;

}  // namespace

JsonFields::JsonFields(const Json& object) : object_(object) {
  if (!object_.is_object()) error_ = invalid("the request must be a JSON object");
}

bool JsonFields::has(const std::string& key) const {
  return object_.is_object() && object_.contains(key) && !object_[key].is_null();
}

const Json* JsonFields::member(const std::string& key) {
  known_.insert(key);
  return has(key) ? &object_[key] : nullptr;
}

void JsonFields::complain(const std::string& key, const std::string& what) {
  if (!error_) error_ = invalid("\"" + key + "\" " + what);
}

void JsonFields::require(const std::string& key) {
  if (!has(key)) complain(key, "is missing");
}

void JsonFields::read(const std::string& key, std::string& into) {
  const Json* value = member(key);
  if (value == nullptr) return;
  if (!value->is_string()) return complain(key, "must be a string");
  into = value->get<std::string>();
}

void JsonFields::read(const std::string& key, bool& into) {
  const Json* value = member(key);
  if (value == nullptr) return;
  if (!value->is_boolean()) return complain(key, "must be true or false");
  into = value->get<bool>();
}

void JsonFields::read(const std::string& key, std::uint64_t& into) {
  const Json* value = member(key);
  if (value == nullptr) return;
  if (!value->is_number_unsigned()) return complain(key, "must be a non-negative integer");
  into = value->get<std::uint64_t>();
}

void JsonFields::read(const std::string& key, double& into) {
  const Json* value = member(key);
  if (value == nullptr) return;
  if (!value->is_number()) return complain(key, "must be a number");
  into = value->get<double>();
}

void JsonFields::read(const std::string& key, std::map<std::string, std::string>& into) {
  const Json* value = member(key);
  if (value == nullptr) return;
  if (!value->is_object()) return complain(key, "must be an object of strings");
  for (const auto& [name, text] : value->items()) {
    if (!text.is_string()) return complain(key, "must be an object of strings");
    into[name] = text.get<std::string>();
  }
}

void JsonFields::read(const std::string& key,
                      std::map<std::string, std::optional<std::string>>& into) {
  const Json* value = member(key);
  if (value == nullptr) return;
  if (!value->is_object()) return complain(key, "must be an object of strings and nulls");
  for (const auto& [name, text] : value->items()) {
    if (!text.is_string() && !text.is_null())
      return complain(key, "must be an object of strings and nulls");
    into[name] = text.is_null() ? std::nullopt : std::optional(text.get<std::string>());
  }
}

void JsonFields::read(const std::string& key, std::vector<std::string>& into) {
  const Json* value = member(key);
  if (value == nullptr) return;
  if (!value->is_array()) return complain(key, "must be a list of strings");
  for (const Json& text : *value) {
    if (!text.is_string()) return complain(key, "must be a list of strings");
    into.push_back(text.get<std::string>());
  }
}

Status JsonFields::done() {
  if (error_) return *error_;
  std::string names;
  for (const std::string& name : known_) names += (names.empty() ? "" : ", ") + name;
  for (const auto& [key, value] : object_.items()) {
    if (known_.contains(key)) continue;
    return invalid("unknown field \"" + key.substr(0, kShownKey) + "\"",
                   names.empty() ? "the object must be empty" : "fields: " + names);
  }
  return Ok{};
}

}  // namespace sf::wire
