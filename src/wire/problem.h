// Converts errors to RFC 9457 problem details for HTTP, and back. Pure; used by client and daemon.
//
//   {"type": "urn:statefork:error:not_found", "title": "Not found", "status": 404,
//    "code": "not_found", "detail": "no such session: x", "hint": "sessions: a, b",
//    "details": {}}
#pragma once

#include <string_view>

#include "base/result.h"
#include "wire/json.h"

namespace sf::wire {

inline constexpr std::string_view kProblemType = "application/problem+json";

int http_status(ErrorCode code);
Json problem_from_error(const Error& error);
// `body` may be any bytes: a proxy may have sent them.
Error error_from_problem(int status, std::string_view body);

}  // namespace sf::wire
