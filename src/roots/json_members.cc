#include "roots/json_members.h"

#include <nlohmann/json.hpp>

namespace sf::roots {
namespace {

const wire::Json& empty_object() {
  static const wire::Json kEmpty = wire::Json::object();
  return kEmpty;
}
const wire::Json& empty_list() {
  static const wire::Json kEmpty = wire::Json::array();
  return kEmpty;
}

}  // namespace

Result<wire::Json> parse_json(std::string_view text, const std::string& what) {
  wire::Json json = wire::Json::parse(text, nullptr, false);
  if (json.is_discarded()) return fail(ErrorCode::kCorrupt, what + " is not JSON");
  return json;
}

JsonMembers::JsonMembers(const wire::Json& object, std::string what)
    : object_(object), what_(std::move(what)) {
  if (!object_.is_object() && !object_.is_null())
    error_ = fail(ErrorCode::kCorrupt, what_ + " is not a JSON object");
}

const wire::Json* JsonMembers::member(const std::string& key) const {
  if (!object_.is_object()) return nullptr;
  auto found = object_.find(key);
  return found == object_.end() || found->is_null() ? nullptr : &*found;
}

void JsonMembers::complain(const std::string& key, const std::string& wanted) {
  if (!error_)
    error_ = fail(ErrorCode::kCorrupt, what_ + ": \"" + key + "\" is not of type " + wanted);
}

std::string JsonMembers::text(const std::string& key) {
  const wire::Json* value = member(key);
  if (value == nullptr) return {};
  if (value->is_string()) return value->get<std::string>();
  complain(key, "string");
  return {};
}

std::uint64_t JsonMembers::number(const std::string& key) {
  const wire::Json* value = member(key);
  if (value == nullptr) return 0;
  if (value->is_number_unsigned()) return value->get<std::uint64_t>();
  complain(key, "whole number");
  return 0;
}

std::vector<std::string> JsonMembers::texts(const std::string& key) {
  std::vector<std::string> found;
  for (const wire::Json& value : list(key)) {
    if (!value.is_string()) {
      complain(key, "list of strings");
      return {};
    }
    found.push_back(value.get<std::string>());
  }
  return found;
}

const wire::Json& JsonMembers::object(const std::string& key) {
  const wire::Json* value = member(key);
  if (value != nullptr && value->is_object()) return *value;
  if (value != nullptr) complain(key, "object");
  return empty_object();
}

const wire::Json& JsonMembers::list(const std::string& key) {
  const wire::Json* value = member(key);
  if (value != nullptr && value->is_array()) return *value;
  if (value != nullptr) complain(key, "list");
  return empty_list();
}

Status JsonMembers::done() const {
  if (error_) return *error_;
  return Ok{};
}

}  // namespace sf::roots
