// The API's paths: each handler finds its session, calls the control plane and answers. No
// decisions here.
#pragma once

#include "service/router.h"
#include "service/session_directory.h"

namespace sf::service {

// Requires: `directory` outlives the router.
void add_health_route(Router& router, const std::string& version);
void add_session_routes(Router& router, SessionDirectory& directory);
void add_branch_routes(Router& router, SessionDirectory& directory);

}  // namespace sf::service
