// /v1/sessions/{s}/nodes/{n}: one node, its name and its notes.
#include <nlohmann/json.hpp>

#include "service/call_target.h"
#include "service/json_messages.h"
#include "service/routes.h"

namespace sf::service {
namespace {

struct NodeTarget {
  SessionDirectory::Session session;
  control::BranchId branch;  // the branch that HEAD refers to
  std::string ref;
};

Result<NodeTarget> node_target(SessionDirectory& directory, const Call& call) {
  std::string branch = parameter(call, "branch", std::string(control::kMainBranch));
  SF_TRY(control::check_name(branch, "branch"));
  SF_TRY_ASSIGN(SessionDirectory::Session session, directory.find(call.names[0]));
  return NodeTarget{std::move(session), control::BranchId(branch), call.names[1]};
}

Result<Answer> describe(const NodeTarget& at) {
  SF_TRY_ASSIGN(control::NodeId id, at.session->resolve_ref(at.branch, at.ref));
  return at.session->read([&](const control::BranchTree& tree) -> Result<Answer> {
    const control::Node* node = tree.find(id);
    if (node == nullptr)
      return fail(ErrorCode::kNotFound, "no such node: " + id.value(), "`tree` lists the nodes");
    return Answer{200, to_json(*node), {}};
  });
}

Result<Answer> show(SessionDirectory& directory, const Call& call) {
  SF_TRY_ASSIGN(NodeTarget at, node_target(directory, call));
  return describe(at);
}

// Sets the notes first: if the name is taken, the notes are set and the client can repeat the
// request.
Result<Answer> change(SessionDirectory& directory, const Call& call) {
  SF_TRY_ASSIGN(NodeTarget at, node_target(directory, call));
  SF_TRY_ASSIGN(NodeChange change, node_change_from(call.body));
  SF_TRY_ASSIGN(control::NodeId id, at.session->resolve_ref(at.branch, at.ref));
  at.ref = id.value();  // the request may change the name
  for (const auto& [key, value] : change.notes)
    SF_TRY(at.session->set_note(at.branch, at.ref, key, value));
  if (change.name) SF_TRY(at.session->rename_node(at.branch, at.ref, *change.name));
  return describe(at);
}

}  // namespace

void add_node_routes(Router& router, SessionDirectory& directory) {
  auto bind = [&directory](Result<Answer> (*handler)(SessionDirectory&, const Call&)) {
    return [&directory, handler](const Call& call) { return handler(directory, call); };
  };
  router.add("GET", "/v1/sessions/{s}/nodes/{n}", bind(show), {"branch"});
  router.add("PATCH", "/v1/sessions/{s}/nodes/{n}", bind(change), {"branch"});
}

}  // namespace sf::service
