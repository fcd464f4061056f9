// /v1/sessions, and operations on a whole session.
#include <nlohmann/json.hpp>

#include "service/call_target.h"
#include "service/json_messages.h"
#include "service/routes.h"

namespace sf::service {
namespace {

constexpr int kCreated = 201;

Result<Answer> create(SessionDirectory& directory, const Call& call) {
  SF_TRY_ASSIGN(CreateSession request, create_session_from(call.body));
  SF_TRY_ASSIGN(SessionDirectory::Session session, directory.create(std::move(request)));
  return Answer{kCreated, session_to_json(*session, directory.problem(*session)), {}};
}

Result<Answer> list(SessionDirectory& directory, const Call&) {
  Json sessions = Json::array();
  for (const SessionDirectory::Session& session : directory.all())
    sessions.push_back(session_to_json(*session, directory.problem(*session)));
  for (const store::UnreadableSession& one : directory.unusable())
    sessions.push_back(session_to_json(one.session, one.why.describe()));
  return Answer{200, {{"sessions", std::move(sessions)}}, {}};
}

Result<Answer> show(SessionDirectory& directory, const Call& call) {
  if (auto one = directory.find_unusable(call.names[0]))
    return Answer{200, session_to_json(one->session, one->why.describe()), {}};
  SF_TRY_ASSIGN(SessionDirectory::Session session, directory.find(call.names[0]));
  return Answer{200, session_to_json(*session, directory.problem(*session)), {}};
}

Result<Answer> end(SessionDirectory& directory, const Call& call) {
  SF_TRY_ASSIGN(control::CleanupReport report, directory.end(call.names[0]));
  return Answer{200, to_json(report), {}};
}

Result<Answer> tree(SessionDirectory& directory, const Call& call) {
  SF_TRY_ASSIGN(SessionDirectory::Session session, directory.find(call.names[0]));
  return Answer{200, tree_to_json(*session), {}};
}

Result<Answer> cleanup(SessionDirectory& directory, const Call& call) {
  SF_TRY_ASSIGN(SessionDirectory::Session session, directory.find(call.names[0]));
  SF_TRY_ASSIGN(CleanupCall request, cleanup_call_from(call.body));
  SF_TRY_ASSIGN(control::CleanupReport report,
                session->cleanup(control::BranchId(request.branch), request.node, request.force));
  return Answer{200, to_json(report), {}};
}

Result<Answer> diff(SessionDirectory& directory, const Call& call) {
  SF_TRY_ASSIGN(SessionDirectory::Session session, directory.find(call.names[0]));
  std::string branch = parameter(call, "branch", std::string(control::kMainBranch));
  std::string from = parameter(call, "from", "HEAD");
  std::string to = parameter(call, "to", "");
  std::optional<std::string_view> until;  // nullopt: the branch's current state
  if (!to.empty()) until = to;
  SF_TRY_ASSIGN(control::StateDiff found, session->diff(control::BranchId(branch), from, until));
  return Answer{200, to_json(found), {}};
}

Result<Answer> rename(SessionDirectory& directory, const Call& call) {
  SF_TRY_ASSIGN(std::string name, session_change_from(call.body));
  SF_TRY_ASSIGN(SessionDirectory::Session session, directory.find(call.names[0]));
  SF_TRY(directory.rename(call.names[0], name));
  return Answer{200, session_to_json(*session, directory.problem(*session)), {}};
}

Result<Answer> stats(SessionDirectory& directory, const Call& call) {
  SF_TRY_ASSIGN(SessionDirectory::Session session, directory.find(call.names[0]));
  return Answer{200, to_json(session->stats()), {}};
}

}  // namespace

void add_session_routes(Router& router, SessionDirectory& directory) {
  auto bind = [&directory](Result<Answer> (*handler)(SessionDirectory&, const Call&)) {
    return [&directory, handler](const Call& call) { return handler(directory, call); };
  };
  router.add("GET", "/v1/sessions", bind(list));
  router.add("POST", "/v1/sessions", bind(create));
  router.add("GET", "/v1/sessions/{s}", bind(show));
  router.add("PATCH", "/v1/sessions/{s}", bind(rename));
  router.add("DELETE", "/v1/sessions/{s}", bind(end));
  router.add("GET", "/v1/sessions/{s}/stats", bind(stats));
  router.add("GET", "/v1/sessions/{s}/tree", bind(tree));
  router.add("POST", "/v1/sessions/{s}/cleanup", bind(cleanup));
  router.add("GET", "/v1/sessions/{s}/diff", bind(diff), {"from", "to", "branch"});
}

}  // namespace sf::service
