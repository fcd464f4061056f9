#include "wire/problem.h"

#include <array>
#include <nlohmann/json.hpp>

namespace sf::wire {
namespace {

struct Row {
  ErrorCode code;
  int status;
  std::string_view title;
};

constexpr std::array kRows = {
    Row{ErrorCode::kInvalidArgument, 400, "Invalid request"},
    Row{ErrorCode::kNotFound, 404, "Not found"},
    Row{ErrorCode::kBusy, 409, "Busy"},
    Row{ErrorCode::kTimedOut, 504, "Timed out"},
    Row{ErrorCode::kUnsupported, 422, "Not supported here"},
    Row{ErrorCode::kCorrupt, 500, "Malformed data"},
    Row{ErrorCode::kSessionLost, 410, "The live branch has ended"},
    Row{ErrorCode::kNoSpace, 507, "No space left"},
    Row{ErrorCode::kDiverged, 409, "A replayed command diverged"},
    Row{ErrorCode::kOs, 500, "A system call failed"},
};

const Row& row_of(ErrorCode code) {
  for (const Row& row : kRows) {
    if (row.code == code) return row;
  }
  return kRows.back();
}

// The code for a reply that is not a problem of the daemon, by its HTTP status.
ErrorCode code_of(int status) {
  if (status == 404) return ErrorCode::kNotFound;
  if (status >= 400 && status < 500) return ErrorCode::kInvalidArgument;
  return ErrorCode::kCorrupt;
}

}  // namespace

int http_status(ErrorCode code) { return row_of(code).status; }

Json problem_from_error(const Error& error) {
  const Row& row = row_of(error.code);
  std::string code(to_string(error.code));
  return {{"type", "urn:statefork:error:" + code},
          {"title", row.title},
          {"status", row.status},
          {"code", code},
          {"detail", error.message},
          {"hint", error.hint},
          {"details", error.details}};
}

Error error_from_problem(int status, std::string_view body) {
  Json json = Json::parse(body, nullptr, false);
  auto text = [&](const char* key) {
    return json.is_object() && json.contains(key) && json[key].is_string()
               ? json[key].get<std::string>()
               : std::string();
  };
  Error error;
  error.code = error_code_from(text("code")).value_or(code_of(status));
  error.message = text("detail");
  if (error.message.empty()) error.message = "the daemon answered " + std::to_string(status);
  error.hint = text("hint");
  if (json.is_object() && json.contains("details") && json["details"].is_object()) {
    for (const auto& [key, value] : json["details"].items()) {
      if (value.is_string()) error.details[key] = value.get<std::string>();
    }
  }
  return error;
}

}  // namespace sf::wire
