#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command_frame.h"
#include "cli/session_commands.h"

namespace sf::cli {
namespace {

struct NewArguments : CommandFrame {
  std::string root;
  std::string name;
  std::string backend;
  std::string policy;
  std::string network;
  std::string user;
  std::string cwd;
  std::uint64_t memory_bytes = 0;
  std::uint64_t pids = 0;
  double cpus = 0;
  std::vector<std::string> env;
  std::vector<std::string> labels;
};

// Only what was said: the daemon has the defaults.
Result<wire::Json> request_of(const NewArguments& arguments) {
  wire::Json request = wire::Json::object();
  auto put = [&request](const char* key, const auto& value, bool given) {
    if (given) request[key] = value;
  };
  put("root", arguments.root, !arguments.root.empty());
  put("name", arguments.name, !arguments.name.empty());
  put("backend", arguments.backend, !arguments.backend.empty());
  put("policy", arguments.policy, !arguments.policy.empty());
  put("network", arguments.network, !arguments.network.empty());
  put("user", arguments.user, !arguments.user.empty());
  put("cwd", arguments.cwd, !arguments.cwd.empty());
  put("memory_bytes", arguments.memory_bytes, arguments.memory_bytes != 0);
  put("pids", arguments.pids, arguments.pids != 0);
  put("cpus", arguments.cpus, arguments.cpus != 0);
  SF_TRY_ASSIGN(auto env, parse_pairs(arguments.env, "-e"));
  SF_TRY_ASSIGN(auto labels, parse_pairs(arguments.labels, "--label"));
  put("env", env, !env.empty());
  put("labels", labels, !labels.empty());
  return request;
}

Result<int> run(const NewArguments& arguments, ApiClient& client) {
  SF_TRY_ASSIGN(wire::Json request, request_of(arguments));
  SF_TRY_ASSIGN(wire::Json session, client.post("/v1/sessions", request));
  if (arguments.json) {
    print_json(session);
  } else {
    std::cout << session.value("id", "") << '\n';
  }
  return 0;
}

}  // namespace

void add_new_command(CLI::App& app, int& exit_code) {
  auto arguments = std::make_shared<NewArguments>();
  CLI::App* command = app.add_subcommand("new", "Start a session; prints its id");
  command->add_option("root", arguments->root, "Directory the session sees as / (default: /)")
      ->type_name("ROOT");
  command->add_option("--name", arguments->name, "A name to call it by");
  command->add_option("--backend", arguments->backend, "waypoint, overlay or replay");
  command->add_option("--policy", arguments->policy,
                      "Which snapshots are whole states: eager, lazy, smart");
  command->add_option("--net", arguments->network, "none (a loopback of its own) or host");
  command->add_option("--user", arguments->user, "User the shell runs as");
  command->add_option("--cwd", arguments->cwd, "Directory the shell starts in");
  command->add_option("--memory", arguments->memory_bytes, "Limit, in bytes or as 512M, 2G")
      ->transform(CLI::AsSizeValue(false));
  command->add_option("--pids", arguments->pids, "Limit of processes");
  command->add_option("--cpus", arguments->cpus, "Limit of processors, as 1.5");
  command->add_option("-e,--env", arguments->env, "Environment of the shell")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  command->add_option("--label", arguments->labels, "Kept with the session, for you")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  add_json_option(*command, arguments->json);
  add_place_options(*command, arguments->place);
  command->footer("Example: statefork new --name work -e LANG=C.UTF-8");
  command->callback([arguments, &exit_code] {
    exit_code = with_daemon(*arguments, [&](ApiClient& client) { return run(*arguments, client); });
  });
}

}  // namespace sf::cli
