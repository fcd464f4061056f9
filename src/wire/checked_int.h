// checked_int: reads a member of a JSON object as an integer of type T. The library's get<T>()
// truncates fractions and wraps values out of range, so it would misread a damaged file.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "wire/json.h"

namespace sf::wire {

// All functions throw Json::exception, as object.at(key).get<T>() does. The exception names `key`.
template <typename T>
T to_checked_int(const Json& json, const std::string& key) {
  if (json.is_number_unsigned()) {
    auto value = json.get<Json::number_unsigned_t>();
    if (std::in_range<T>(value)) return static_cast<T>(value);
  } else if (json.is_number_integer()) {
    auto value = json.get<Json::number_integer_t>();
    if (std::in_range<T>(value)) return static_cast<T>(value);
  }
  constexpr int kWrongType = 302;  // the library's error number
  std::string found = json.is_number() ? json.dump() : json.type_name();
  throw Json::type_error::create(
      kWrongType, "\"" + key + "\" is " + found + ", not a whole number in range", &json);
}

template <typename T>
T checked_int(const Json& object, const std::string& key) {
  return to_checked_int<T>(object.at(key), key);
}

template <typename T>
std::vector<T> checked_ints(const Json& object, const std::string& key) {
  std::vector<T> numbers;
  for (const Json& one : object.at(key).get_ref<const Json::array_t&>())
    numbers.push_back(to_checked_int<T>(one, key));
  return numbers;
}

}  // namespace sf::wire
