#include "base/result.h"

#include <array>
#include <cstring>

namespace sf {
namespace {

struct CodeName {
  ErrorCode code;
  std::string_view name;
};

constexpr std::array kNames = {
    CodeName{ErrorCode::kInvalidArgument, "invalid_argument"},
    CodeName{ErrorCode::kNotFound, "not_found"},
    CodeName{ErrorCode::kBusy, "busy"},
    CodeName{ErrorCode::kTimedOut, "timed_out"},
    CodeName{ErrorCode::kUnsupported, "unsupported"},
    CodeName{ErrorCode::kCorrupt, "corrupt"},
    CodeName{ErrorCode::kSessionLost, "session_lost"},
    CodeName{ErrorCode::kNoSpace, "no_space"},
    CodeName{ErrorCode::kDiverged, "diverged"},
    CodeName{ErrorCode::kOs, "os"},
};

}  // namespace

std::string_view to_string(ErrorCode code) {
  for (const CodeName& entry : kNames) {
    if (entry.code == code) return entry.name;
  }
  return "unknown";
}

std::optional<ErrorCode> error_code_from(std::string_view name) {
  for (const CodeName& entry : kNames) {
    if (entry.name == name) return entry.code;
  }
  return std::nullopt;
}

std::string Error::describe() const {
  std::string text = message;
  if (!hint.empty()) text += " (" + hint + ")";
  return text;
}

}  // namespace sf
