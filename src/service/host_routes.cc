// /healthz, /metrics, /openapi.json, /v1/backends, /v1/gc: the host.
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "service/json_messages.h"
#include "service/openapi.h"
#include "service/routes.h"

namespace sf::service {
namespace {

HostNumbers numbers_of(const SessionDirectory& directory) {
  HostNumbers sum;
  for (const SessionDirectory::Session& session : directory.all()) {
    control::SessionStats stats = session->stats();
    sum.sessions += 1;
    sum.live_branches += stats.live_branches;
    sum.nodes += stats.nodes;
    sum.physical_snapshots += stats.physical_refs;
    sum.physical_bytes += stats.physical_bytes;
  }
  return sum;
}

Answer plain(std::string content_type, std::string body) {
  return {200, {}, Reply{200, std::move(content_type), std::move(body), {}}};
}

Result<Answer> list_backends(const SessionDirectory& directory) {
  Json all = Json::array();
  for (const backends::BackendDescription& one : directory.backends()) all.push_back(to_json(one));
  return Answer{200, {{"backends", std::move(all)}}, {}};
}

Result<Answer> gc(SessionDirectory& directory) {
  SF_TRY_ASSIGN(Housekeeping done, directory.collect_garbage());
  return Answer{200, to_json(done), {}};
}

}  // namespace

void add_all_routes(Router& router, const RouteParts& parts) {
  add_host_routes(router, parts.directory, parts.metrics, parts.version);
  add_session_routes(router, parts.directory);
  add_node_routes(router, parts.directory);
  add_branch_routes(router, parts.directory);
  add_execution_routes(router, parts.directory, parts.executions);
  add_terminal_routes(router, parts.directory);
  add_file_routes(router, parts.directory);
}

void add_host_routes(Router& router, SessionDirectory& directory, const Metrics& metrics,
                     const std::string& version) {
  router.add("GET", "/healthz", [version](const Call&) -> Result<Answer> {
    return Answer{200, {{"status", "ok"}, {"version", version}, {"pid", ::getpid()}}, {}};
  });
  router.add("GET", "/metrics", [&directory, &metrics](const Call&) -> Result<Answer> {
    return plain("text/plain; version=0.0.4", metrics.text(numbers_of(directory)));
  });
  router.add("GET", "/openapi.json", [](const Call&) -> Result<Answer> {
    return plain("application/json", std::string(openapi_text()));
  });
  router.add("GET", "/v1/backends", [&directory](const Call&) { return list_backends(directory); });
  router.add("POST", "/v1/gc", [&directory](const Call&) { return gc(directory); });
}

}  // namespace sf::service
