// The Docker Engine request that creates a sandbox. Pure.
#pragma once

#include <string>

#include "shell/branch_config.h"
#include "wire/json.h"

namespace sf::backends {

struct ContainerPlan {
  std::string sandbox;
  std::string image;
  std::string agent;  // on the host
  std::string owner;
};

wire::Json container_request(const ContainerPlan& plan, const waypoint::BranchConfig& config);

}  // namespace sf::backends
