// /v1/sessions/{s}/branches/{b}/...: operations on one branch.
#include <nlohmann/json.hpp>

#include "service/call_target.h"
#include "service/json_messages.h"
#include "service/routes.h"

namespace sf::service {
namespace {

Result<Answer> exec(SessionDirectory& directory, const Call& call) {
  SF_TRY_ASSIGN(BranchTarget at, branch_target(directory, call));
  SF_TRY_ASSIGN(ExecRequest request, exec_request_from(call.body));
  SF_TRY_ASSIGN(Observation seen, at.session->exec_command(at.branch, request));
  return Answer{200, to_json(seen), {}};
}

Result<Answer> run(SessionDirectory& directory, const Call& call) {
  SF_TRY_ASSIGN(BranchTarget at, branch_target(directory, call));
  SF_TRY_ASSIGN(SideRequest request, side_request_from(call.body));
  SF_TRY_ASSIGN(SideObservation seen, at.session->run(at.branch, request));
  return Answer{200, to_json(seen), {}};
}

Result<Answer> snapshot(SessionDirectory& directory, const Call& call) {
  SF_TRY_ASSIGN(BranchTarget at, branch_target(directory, call));
  SF_TRY_ASSIGN(control::SnapshotRequest request, snapshot_request_from(call.body));
  SF_TRY_ASSIGN(control::SnapshotReport report, at.session->snapshot(at.branch, request));
  return Answer{201, to_json(report), {}};
}

Result<Answer> restore(SessionDirectory& directory, const Call& call) {
  SF_TRY_ASSIGN(BranchTarget at, branch_target(directory, call));
  SF_TRY_ASSIGN(RestoreCall request, restore_call_from(call.body));
  SF_TRY_ASSIGN(control::RestoreReport report,
                at.session->restore(at.branch, request.node, request.on_divergence));
  return Answer{200, to_json(report), {}};
}

Result<Answer> fork(SessionDirectory& directory, const Call& call) {
  SF_TRY_ASSIGN(BranchTarget at, branch_target(directory, call));
  SF_TRY_ASSIGN(ForkCall request, fork_call_from(call.body));
  SF_TRY_ASSIGN(control::ForkReport report,
                at.session->fork(at.branch, request.node, request.request));
  return Answer{201, to_json(report), {}};
}

Result<Answer> end(SessionDirectory& directory, const Call& call) {
  SF_TRY_ASSIGN(BranchTarget at, branch_target(directory, call));
  SF_TRY_ASSIGN(control::CleanupReport report, at.session->end_branch(at.branch));
  return Answer{200, to_json(report), {}};
}

}  // namespace

void add_branch_routes(Router& router, SessionDirectory& directory) {
  auto bind = [&directory](Result<Answer> (*handler)(SessionDirectory&, const Call&)) {
    return [&directory, handler](const Call& call) { return handler(directory, call); };
  };
  const std::string branch = "/v1/sessions/{s}/branches/{b}";
  router.add("POST", branch + "/exec", bind(exec));
  router.add("POST", branch + "/run", bind(run));
  router.add("POST", branch + "/snapshot", bind(snapshot));
  router.add("POST", branch + "/restore", bind(restore));
  router.add("POST", branch + "/fork", bind(fork));
  router.add("DELETE", branch, bind(end));
}

}  // namespace sf::service
