// /healthz, /v1/sessions and what concerns a whole session.
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "service/json_messages.h"
#include "service/routes.h"

namespace sf::service {
namespace {

constexpr int kCreated = 201;

std::string parameter(const Call& call, const std::string& key, const std::string& fallback) {
  auto found = call.query.find(key);
  return found == call.query.end() ? fallback : found->second;
}

Result<Answer> create(SessionDirectory& directory, const Call& call) {
  SF_TRY_ASSIGN(CreateSession request, create_session_from(call.body));
  SF_TRY_ASSIGN(SessionDirectory::Session session, directory.create(std::move(request)));
  return Answer{kCreated, session_to_json(*session)};
}

Result<Answer> list(SessionDirectory& directory, const Call&) {
  Json sessions = Json::array();
  for (const SessionDirectory::Session& session : directory.all())
    sessions.push_back(session_to_json(*session));
  return Answer{200, {{"sessions", std::move(sessions)}}};
}

Result<Answer> show(SessionDirectory& directory, const Call& call) {
  SF_TRY_ASSIGN(SessionDirectory::Session session, directory.find(call.names[0]));
  return Answer{200, session_to_json(*session)};
}

Result<Answer> end(SessionDirectory& directory, const Call& call) {
  SF_TRY_ASSIGN(control::CleanupReport report, directory.end(call.names[0]));
  return Answer{200, to_json(report)};
}

Result<Answer> tree(SessionDirectory& directory, const Call& call) {
  SF_TRY_ASSIGN(SessionDirectory::Session session, directory.find(call.names[0]));
  return Answer{200, tree_to_json(*session)};
}

Result<Answer> cleanup(SessionDirectory& directory, const Call& call) {
  SF_TRY_ASSIGN(SessionDirectory::Session session, directory.find(call.names[0]));
  SF_TRY_ASSIGN(CleanupCall request, cleanup_call_from(call.body));
  SF_TRY_ASSIGN(control::CleanupReport report,
                session->cleanup(control::BranchId(request.branch), request.node, request.force));
  return Answer{200, to_json(report)};
}

Result<Answer> diff(SessionDirectory& directory, const Call& call) {
  SF_TRY_ASSIGN(SessionDirectory::Session session, directory.find(call.names[0]));
  std::string branch = parameter(call, "branch", std::string(control::kMainBranch));
  std::string from = parameter(call, "from", "HEAD");
  std::string to = parameter(call, "to", "");
  std::optional<std::string_view> until;  // nothing: the branch as it is now
  if (!to.empty()) until = to;
  SF_TRY_ASSIGN(control::StateDiff found, session->diff(control::BranchId(branch), from, until));
  return Answer{200, to_json(found)};
}

}  // namespace

void add_health_route(Router& router, const std::string& version) {
  router.add("GET", "/healthz", [version](const Call&) -> Result<Answer> {
    return Answer{200, {{"status", "ok"}, {"version", version}, {"pid", ::getpid()}}};
  });
}

void add_session_routes(Router& router, SessionDirectory& directory) {
  auto bind = [&directory](Result<Answer> (*handler)(SessionDirectory&, const Call&)) {
    return [&directory, handler](const Call& call) { return handler(directory, call); };
  };
  router.add("GET", "/v1/sessions", bind(list));
  router.add("POST", "/v1/sessions", bind(create));
  router.add("GET", "/v1/sessions/{s}", bind(show));
  router.add("DELETE", "/v1/sessions/{s}", bind(end));
  router.add("GET", "/v1/sessions/{s}/tree", bind(tree));
  router.add("POST", "/v1/sessions/{s}/cleanup", bind(cleanup));
  router.add("GET", "/v1/sessions/{s}/diff", bind(diff), {"from", "to", "branch"});
}

}  // namespace sf::service
