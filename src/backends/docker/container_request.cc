#include "backends/docker/container_request.h"

#include <nlohmann/json.hpp>

#include "agent/agent_location.h"
#include "backends/hosted/substrate.h"

namespace sf::backends {

using waypoint::BranchConfig;
using waypoint::Network;
using wire::Json;

Json container_request(const ContainerPlan& plan, const BranchConfig& config) {
  // SYS_PTRACE: the agent reads what the shell waits for, even if the shell runs as another user.
  Json added = Json::array({"SYS_PTRACE"});
  for (const std::string& name : config.extra_capabilities) added.push_back(name);
  Json host = {{"NetworkMode", config.network == Network::kHost ? "host" : "none"},
               {"Binds", {plan.agent + ":" + agent::kAgentPath + ":ro"}},
               {"CapAdd", added},
               {"LogConfig", {{"Type", "json-file"}, {"Config", {{"max-size", "1m"}}}}}};
  if (config.limits.memory_bytes) {
    host["Memory"] = *config.limits.memory_bytes;
    host["MemorySwap"] = *config.limits.memory_bytes;
  }
  if (config.limits.pids) host["PidsLimit"] = *config.limits.pids;
  if (config.limits.cpus)
    host["NanoCpus"] = static_cast<std::int64_t>(*config.limits.cpus * 1'000'000'000.0);
  Json request = {
      {"Image", plan.image},  {"Entrypoint", {agent::kAgentPath, "serve"}},
      {"Cmd", Json::array()}, {"User", "0:0"},
      {"WorkingDir", "/"},    {"Labels", {{kOwnerLabel, plan.owner}, {kNameLabel, plan.sandbox}}},
      {"HostConfig", host}};
  if (config.network != Network::kHost) request["Hostname"] = config.hostname;
  return request;
}

}  // namespace sf::backends
