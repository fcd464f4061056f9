// Serialises plain structs to bytes and back. A struct lists its fields once, in `fields(archive)`;
// both writing and reading use that list. An image is read on the same host and boot, so sizes and
// byte order are this machine's. Reading trusts nothing: input that does not fit stops it.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace sf::waypoint::native {

class Writer {
 public:
  template <typename T>
  Writer& operator()(T& value) {
    if constexpr (std::is_trivially_copyable_v<T> && !requires { value.fields(*this); }) {
      bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
    } else if constexpr (requires { value.fields(*this); }) {
      value.fields(*this);
    } else {
      std::uint64_t count = value.size();
      (*this)(count);
      if constexpr (std::is_same_v<T, std::string>) {
        bytes_.append(value);
      } else {
        for (auto& each : value) (*this)(each);
      }
    }
    return *this;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : left_(bytes) {}

  template <typename T>
  Reader& operator()(T& value) {
    if constexpr (std::is_trivially_copyable_v<T> && !requires { value.fields(*this); }) {
      if (!have(sizeof value)) return *this;
      std::memcpy(&value, left_.data(), sizeof value);
      left_.remove_prefix(sizeof value);
    } else if constexpr (requires { value.fields(*this); }) {
      value.fields(*this);
    } else {
      read_list(value);
    }
    return *this;
  }
  // True if the input held everything that was read, and nothing more.
  bool whole() const { return good_ && left_.empty(); }

 private:
  bool have(std::uint64_t size) {
    good_ = good_ && size <= left_.size();
    return good_;
  }
  template <typename T>
  void read_list(T& value) {
    std::uint64_t count = 0;
    (*this)(count);
    if (!have(count)) return;  // every element takes a byte at least
    if constexpr (std::is_same_v<T, std::string>) {
      value.assign(left_.substr(0, count));
      left_.remove_prefix(count);
    } else {
      value.clear();
      for (std::uint64_t i = 0; i < count && good_; ++i) (*this)(value.emplace_back());
    }
  }

  std::string_view left_;
  bool good_ = true;
};

}  // namespace sf::waypoint::native
