// FieldWriter and FieldReader: convert structs to frames and records, and back. A struct lists its
// fields once, in a function that both classes call. Example (src/wire/keeper_protocol_test.cc):
//
//   template <typename F, Is<Person> M>
//   void describe(F& f, M& m) {
//     f.field("name", m.name);
//     f.optional("home", m.home);
//   }
//   ...
//   Frame frame = write_message(Person{.name = "ann", .home = "/home/ann"});
//   Result<Person> back = read_message<Person>(std::move(frame), "person");
//
// The reader is strict: if a value is missing, has the wrong type or is out of range, the error
// names the key. describe() must be in the namespace of its struct or of F.
#pragma once

#include <concepts>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/result.h"
#include "wire/checked_int.h"
#include "wire/frame.h"

namespace sf::wire {

class FieldWriter {
 public:
  explicit FieldWriter(Frame& frame) : frame_(frame) {}

  void constant(const char* key, bool value) { frame_.header[key] = value; }
  template <typename T>
  void field(const char* key, const T& value) {
    frame_.header[key] = json_of(value);
  }
  // Omitted if it has the default value.
  template <typename T>
  void optional(const char* key, const T& value) {
    if (value != T{}) field(key, value);
  }
  // A nested object, and a list of objects.
  template <typename T>
  void optional(const char* key, const std::optional<T>& value) {
    if (value) object(key, *value);
  }
  template <typename T>
  void list(const char* key, const std::vector<T>& values) {
    Json& list = frame_.header[key] = Json::array();
    for (const T& value : values) list.push_back(header_of(value));
  }
  // Any bytes, encoded with bytes_to_text().
  void bytes(const char* key, const std::string& value) { field(key, bytes_to_text(value)); }
  void bytes(const char* key, const std::vector<std::string>& words) {
    Json& list = frame_.header[key] = Json::array();
    for (const std::string& word : words) list.push_back(bytes_to_text(word));
  }
  void bytes(const char* key, const std::map<std::string, std::string>& pairs) {
    Json& object = frame_.header[key] = Json::object();
    for (const auto& [name, value] : pairs) object[bytes_to_text(name)] = bytes_to_text(value);
  }
  // piece() puts bytes into the payload and their number into the header. rest() puts the remaining
  // bytes at the end of the payload.
  void piece(const char* key, const std::string& value) {
    field(key, value.size());
    frame_.payload += value;
  }
  void optional_piece(const char* key, const std::string& value) {
    if (!value.empty()) piece(key, value);
  }
  void rest(const std::string& value) { frame_.payload += value; }
  // A nested message.
  template <typename T>
  void object(const char* key, const T& value) {
    frame_.header[key] = header_of(value);
  }
  // Writes lines to the end of the payload. The last `count` lines are `rows`.
  void lines(const std::vector<std::string>& above, const std::vector<std::string>& rows,
             std::size_t /*count*/) {
    for (const auto* part : {&above, &rows}) {
      for (const std::string& row : *part) frame_.payload += row + "\n";
    }
  }

 private:
  template <typename T>
  static Json header_of(const T& value) {
    Frame inner{Json::object(), {}};
    FieldWriter writer(inner);
    describe(writer, value);
    return std::move(inner.header);
  }
  template <typename T>
  static Json json_of(const T& value) {
    if constexpr (requires { value.count(); }) {
      return value.count();
    } else {
      return value;
    }
  }
  Frame& frame_;
};

class FieldReader {
 public:
  explicit FieldReader(Frame& frame) : frame_(frame) {}

  void constant(const char* /*key*/, bool /*value*/) {}
  template <typename T>
  void field(const char* key, T& into) {
    read(frame_.header.at(key), key, into);
  }
  template <typename T>
  void optional(const char* key, T& into) {
    if (frame_.header.contains(key)) field(key, into);
  }
  template <typename T>
  void optional(const char* key, std::optional<T>& into) {
    if (frame_.header.contains(key)) object(key, into.emplace());
  }
  template <typename T>
  void list(const char* key, std::vector<T>& into) {
    for (const Json& one : frame_.header.at(key).get_ref<const Json::array_t&>())
      read_part(one, into.emplace_back());
  }
  void bytes(const char* key, std::string& into) {
    into = text_to_bytes(frame_.header.at(key).get<std::string>());
  }
  void bytes(const char* key, std::vector<std::string>& into) {
    for (const Json& word : frame_.header.at(key).get_ref<const Json::array_t&>())
      into.push_back(text_to_bytes(word.get<std::string>()));
  }
  void bytes(const char* key, std::map<std::string, std::string>& into) {
    for (const auto& [name, value] : frame_.header.at(key).get_ref<const Json::object_t&>())
      into[text_to_bytes(name)] = text_to_bytes(value.get<std::string>());
  }
  void piece(const char* key, std::string& into) {
    const auto size = checked_int<std::size_t>(frame_.header, key);
    if (size > frame_.payload.size() - at_) fail_size();
    into = frame_.payload.substr(at_, size);
    at_ += size;
  }
  void optional_piece(const char* key, std::string& into) {
    if (frame_.header.contains(key)) piece(key, into);
  }
  void rest(std::string& into) {
    into = at_ == 0 ? std::move(frame_.payload) : frame_.payload.substr(at_);
    frame_.payload.clear();
    at_ = 0;
  }
  template <typename T>
  void object(const char* key, T& into) {
    read_part(frame_.header.at(key), into);
  }
  void lines(std::vector<std::string>& above, std::vector<std::string>& rows, std::size_t count) {
    for (std::size_t end = 0; (end = frame_.payload.find('\n', at_)) != std::string::npos;
         at_ = end + 1)
      rows.push_back(frame_.payload.substr(at_, end - at_));
    if (rows.size() <= count) return;
    const auto first = rows.end() - static_cast<std::ptrdiff_t>(count);
    above.assign(std::make_move_iterator(rows.begin()), std::make_move_iterator(first));
    rows.erase(rows.begin(), first);
  }
  void finish() const {
    if (at_ != frame_.payload.size()) fail_size();
  }

 private:
  template <typename T>
  static void read_part(const Json& json, T& into) {
    Frame inner{json, {}};
    FieldReader reader(inner);
    describe(reader, into);
  }
  [[noreturn]] static void fail_size() {
    constexpr int kOutOfRange = 401;  // the library's error number
    throw Json::out_of_range::create(kOutOfRange, "the payload's size does not match its header",
                                     nullptr);
  }
  template <typename T>
  static void read(const Json& json, const char* key, T& into) {
    if constexpr (requires { into.count(); }) {
      into = T(to_checked_int<typename T::rep>(json, key));
    } else if constexpr (std::integral<T> && !std::same_as<T, bool>) {
      into = to_checked_int<T>(json, key);
    } else if constexpr (requires { requires std::integral<typename T::value_type>; } &&
                         !std::same_as<T, std::string>) {
      for (const Json& one : json.get_ref<const Json::array_t&>())
        into.push_back(to_checked_int<typename T::value_type>(one, key));
    } else {
      into = json.get<T>();
    }
  }

  Frame& frame_;
  std::size_t at_ = 0;  // bytes of the payload that were read
};

// Collects the keys of a message, including optional ones.
class FieldNames {
 public:
  explicit FieldNames(std::vector<std::string>& keys) : keys_(keys) {}

  void constant(const char* key, bool /*value*/) { keys_.emplace_back(key); }
  template <typename T>
  void field(const char* key, const T& /*value*/) {
    keys_.emplace_back(key);
  }
  template <typename T>
  void optional(const char* key, const T& /*value*/) {
    keys_.emplace_back(key);
  }
  template <typename T>
  void list(const char* key, const std::vector<T>& /*values*/) {
    keys_.emplace_back(key);
  }
  template <typename T>
  void bytes(const char* key, const T& /*value*/) {
    keys_.emplace_back(key);
  }
  template <typename T>
  void object(const char* key, const T& /*value*/) {
    keys_.emplace_back(key);
  }
  void piece(const char* key, const std::string& /*value*/) { keys_.emplace_back(key); }
  void optional_piece(const char* key, const std::string& /*value*/) { keys_.emplace_back(key); }
  void rest(const std::string& /*value*/) {}
  void lines(const std::vector<std::string>& /*above*/, const std::vector<std::string>& /*rows*/,
             std::size_t /*count*/) {}

 private:
  std::vector<std::string>& keys_;
};

// `M` is `Message` (to read into) or `const Message` (to write).
template <typename M, typename Message>
concept Is = std::same_as<std::remove_const_t<M>, Message>;

template <typename Message>
Frame write_message(const Message& message) {
  Frame frame{Json::object(), {}};
  FieldWriter writer(frame);
  describe(writer, message);
  return frame;
}

template <typename Message>
std::vector<std::string> message_keys() {
  std::vector<std::string> keys;
  FieldNames names(keys);
  const Message message{};
  describe(names, message);
  return keys;
}

// `what` names the message in the error (kCorrupt).
template <typename Message>
Result<Message> read_message(Frame frame, const std::string& what) {
  try {
    Message message;
    FieldReader reader(frame);
    describe(reader, message);
    reader.finish();
    return message;
  } catch (const Json::exception& e) {
    return fail(ErrorCode::kCorrupt, what + ": " + e.what());
  }
}

}  // namespace sf::wire
