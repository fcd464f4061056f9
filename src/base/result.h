// Result<T>: a value, or an Error with a message about the operation that failed. Functions report
// failures in no other way. An Error's code tells the caller how to react; its message is for
// people and may end in a hint.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "base/check.h"

namespace sf {

enum class ErrorCode {
  kInvalidArgument,  // the request is wrong; the hint says how to ask
  kNotFound,
  kBusy,  // try again later, nothing changed
  kTimedOut,
  kUnsupported,  // this host or this state cannot do it; the hint says what would help
  kCorrupt,      // malformed data on disk or on the wire
  kSessionLost,  // the live branch is gone; its checkpoints are not
  kNoSpace,
  kDiverged,  // a replayed command had another result than the first time; see details
  kOs,        // a system call failed; os_errno says how
};

std::string_view to_string(ErrorCode code);
std::optional<ErrorCode> error_code_from(std::string_view name);

struct Error {
  ErrorCode code = ErrorCode::kOs;
  int os_errno = 0;
  std::string message;
  std::string hint;                            // the next step for the user; may be empty
  std::map<std::string, std::string> details;  // for programs, in addition to the message

  // Prefixes the message with the operation that failed; the outermost operation comes first.
  Error while_doing(std::string_view what) && {
    message = std::string(what) + ": " + message;
    return std::move(*this);
  }
  Error with_hint(std::string_view text) && {
    if (hint.empty()) hint = text;
    return std::move(*this);
  }
  // "message (hint)": everything a person needs, on one line.
  std::string describe() const;
};

struct Ok {};

template <typename T>
class [[nodiscard]] Result {
 public:
  using Value = T;
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}      // NOLINT: implicit
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT: implicit

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  T& value() & {
    SF_CHECK(ok());
    return std::get<0>(state_);
  }
  const T& value() const& {
    SF_CHECK(ok());
    return std::get<0>(state_);
  }
  T&& value() && {
    SF_CHECK(ok());
    return std::get<0>(std::move(state_));
  }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  const Error& error() const& {
    SF_CHECK(!ok());
    return std::get<1>(state_);
  }
  Error&& error() && {
    SF_CHECK(!ok());
    return std::get<1>(std::move(state_));
  }

 private:
  std::variant<T, Error> state_;
};

using Status = Result<Ok>;

inline Error invalid(std::string message, std::string hint = {}) {
  return {ErrorCode::kInvalidArgument, 0, std::move(message), std::move(hint)};
}
inline Error fail(ErrorCode code, std::string message, std::string hint = {}) {
  return {code, 0, std::move(message), std::move(hint)};
}

}  // namespace sf

#define SF_CONCAT_INNER(a, b) a##b
#define SF_CONCAT(a, b) SF_CONCAT_INNER(a, b)

// Returns the error of `expr` from the enclosing function, if it has one.
#define SF_TRY(expr)                                                                   \
  do {                                                                                 \
    if (auto sf_status = (expr); !sf_status.ok()) return std::move(sf_status).error(); \
  } while (false)

// Declares `lhs` from the value of `expr`, or returns its error.
#define SF_TRY_ASSIGN(lhs, expr) SF_TRY_ASSIGN_INNER(SF_CONCAT(sf_result_, __LINE__), lhs, expr)
#define SF_TRY_ASSIGN_INNER(tmp, lhs, expr)     \
  auto tmp = (expr);                            \
  if (!tmp.ok()) return std::move(tmp).error(); \
  lhs = std::move(tmp).value()
