// The API's paths. A handler finds its session, calls the control plane and answers; it makes no
// decisions.
#pragma once

#include "service/execution_table.h"
#include "service/metrics.h"
#include "service/router.h"
#include "service/session_directory.h"

namespace sf::service {

struct RouteParts {
  SessionDirectory& directory;
  ExecutionTable& executions;
  const Metrics& metrics;
  std::string version;
};

// Requires (for all): the references outlive the router.
void add_all_routes(Router& router, const RouteParts& parts);

void add_host_routes(Router& router, SessionDirectory& directory, const Metrics& metrics,
                     const std::string& version);
void add_session_routes(Router& router, SessionDirectory& directory);
void add_node_routes(Router& router, SessionDirectory& directory);
void add_branch_routes(Router& router, SessionDirectory& directory);
void add_execution_routes(Router& router, SessionDirectory& directory, ExecutionTable& table);
void add_terminal_routes(Router& router, SessionDirectory& directory);
void add_file_routes(Router& router, SessionDirectory& directory);

}  // namespace sf::service
