// "METHOD PATH?QUERY" and a body: every reply is JSON, and a rejected request gets a problem with a
// reason.
#include "service/router.h"

#include "input.h"
#include "service/call_target.h"
#include "service/json_messages.h"
#include "wire/problem.h"
#include "wire/query_text.h"

namespace sf::fuzz {
namespace {

using namespace service;  // NOLINT: the only namespace of this file

constexpr std::uint64_t kMost = 1000;

Router small_router() {
  Router router;
  router.add(
      "GET", "/v1/sessions/{s}/log",
      [](const Call& call) -> Result<Answer> {
        SF_CHECK(call.names.size() == 1 && !call.names[0].empty());
        SF_TRY_ASSIGN(std::uint64_t limit, number_parameter(call, "limit", 10, kMost));
        SF_CHECK(limit <= kMost);
        return Answer{200, {{"session", call.names[0]}, {"branch", parameter(call, "branch")}}};
      },
      {"limit", "branch"});
  router.add("POST", "/v1/sessions/{s}/branches/{b}/exec", [](const Call& call) -> Result<Answer> {
    SF_CHECK(call.names.size() == 2);
    SF_TRY_ASSIGN(ExecRequest request, exec_request_from(call.body));
    return Answer{200, {{"command", request.command}}};
  });
  router.add("POST", "/v1/echo", [](const Call& call) -> Result<Answer> {
    return Answer{201, call.body};
  });
  router.add(
      "PUT", "/v1/files",
      [](const Call& call) -> Result<Answer> {
        return Answer{200, {{"bytes", call.bytes.size()}}};
      },
      {}, BodyKind::kBytes);
  return router;
}

}  // namespace

void router(std::string_view input) {
  static const Router kRouter = small_router();
  Input in(input);
  std::string_view method = in.until(' ');
  Input address(in.until('\n'));
  std::string_view path = address.until('?');
  auto query = wire::parse_query(address.rest());
  if (!query) return check_clear(query.error(), ErrorCode::kInvalidArgument);
  Reply reply = kRouter.answer(method, path, *query, in.rest());
  const Json answered = Json::parse(reply.body, nullptr, false);
  SF_CHECK(!answered.is_discarded());
  if (reply.status < 300) {
    SF_CHECK(reply.content_type == "application/json");
    return;
  }
  SF_CHECK(reply.status >= 400 && reply.status < 500);
  SF_CHECK(reply.content_type == wire::kProblemType);
  SF_CHECK(answered["status"] == reply.status);
  check_clear(wire::error_from_problem(reply.status, reply.body));
}

}  // namespace sf::fuzz
