// What the Docker Engine is asked for a box. Pure.
#pragma once

#include <string>

#include "waypoint/branch_config.h"
#include "wire/json.h"

namespace sf::backends {

inline constexpr const char* kOwnerLabel = "statefork.owner";
inline constexpr const char* kNameLabel = "statefork.name";
// Below /dev, which is a file system of its own: no trace of it in what is committed.
inline constexpr const char* kAgentPath = "/dev/.statefork-agent";

struct ContainerPlan {
  std::string box;
  std::string image;
  std::string agent;  // on the host
  std::string owner;
};

wire::Json container_request(const ContainerPlan& plan, const waypoint::BranchConfig& config);

}  // namespace sf::backends
