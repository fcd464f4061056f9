#include <fcntl.h>

#include <iostream>
#include <nlohmann/json.hpp>

#include "cli/commands/command_frame.h"
#include "cli_full/full_commands.h"
#include "cli_full/root_source.h"
#include "os/in_root.h"

namespace sf::cli {
namespace {

struct NewArguments : CommandFrame {
  std::string root;
  std::string name;
  std::string backend;
  std::string policy;
  std::string network;
  std::string engine;
  std::string user;
  std::string cwd;
  std::uint64_t memory_bytes = 0;
  std::uint64_t pids = 0;
  double cpus = 0;
  std::uint64_t ttl_s = 0;
  std::uint64_t idle_s = 0;
  std::uint64_t max_bytes = 0;
  std::uint64_t max_branches = 0;
  std::vector<std::string> env;
  std::vector<std::string> labels;
};

bool has_directory(const std::string& root, const std::string& path) {
  auto inside = os::InRoot::open(root);
  return inside && inside->open_file(path, O_PATH | O_DIRECTORY).ok();
}

// An image's settings are the defaults of options that are not given.
Status prepare(NewArguments& arguments) {
  SF_TRY_ASSIGN(roots::RootImage image,
                root_from(arguments.root, arguments.location,
                          arguments.json ? Progress::kHidden : Progress::kShown));
  arguments.root = image.directory;
  std::vector<std::string> env = image.config.env;
  std::erase_if(env, [](const std::string& entry) { return entry.find('=') == std::string::npos; });
  arguments.env.insert(arguments.env.begin(), env.begin(), env.end());
  if (arguments.user.empty())
    arguments.user = image.config.user.substr(0, image.config.user.find(':'));
  if (arguments.cwd.empty() && has_directory(image.directory, image.config.working_dir))
    arguments.cwd = image.config.working_dir;
  return Ok{};
}

// Sends only the given options: the daemon has the defaults.
Result<wire::Json> request_of(const NewArguments& arguments) {
  wire::Json request = wire::Json::object();
  auto put_text = [&request](const char* key, const std::string& value) {
    if (!value.empty()) request[key] = value;
  };
  auto put_number = [&request](const char* key, auto value) {
    if (value != 0) request[key] = value;
  };
  put_text("root", arguments.root);
  put_text("name", arguments.name);
  put_text("backend", arguments.backend);
  put_text("policy", arguments.policy);
  put_text("network", arguments.network);
  put_text("engine", arguments.engine);
  put_text("user", arguments.user);
  put_text("cwd", arguments.cwd);
  put_number("memory_bytes", arguments.memory_bytes);
  put_number("pids", arguments.pids);
  put_number("cpus", arguments.cpus);
  put_number("ttl_s", arguments.ttl_s);
  put_number("idle_s", arguments.idle_s);
  put_number("max_bytes", arguments.max_bytes);
  put_number("max_branches", arguments.max_branches);
  SF_TRY_ASSIGN(auto env, parse_pairs(arguments.env, "-e"));
  SF_TRY_ASSIGN(auto labels, parse_pairs(arguments.labels, "--label"));
  if (!env.empty()) request["env"] = env;
  if (!labels.empty()) request["labels"] = labels;
  return request;
}

Result<int> run_new(NewArguments arguments, const ApiClient& client) {
  SF_TRY(prepare(arguments));
  SF_TRY_ASSIGN(wire::Json request, request_of(arguments));
  SF_TRY_ASSIGN(wire::Json session, client.post("/v1/sessions", request));
  if (arguments.backend == "auto")
    std::cerr << "statefork: backend " << session.value("backend", "") << ": "
              << session["labels"].value("statefork.backend_why", "") << '\n';
  return print_answer(arguments, session,
                      [](const wire::Json& made) { return made.value("id", "") + "\n"; });
}

void add_limits(CLI::App& command, NewArguments& arguments) {
  constexpr const char* kLimits = "Limits";
  CLI::AsSizeValue size(false);
  CLI::AsNumberWithUnit time(
      std::map<std::string, std::uint64_t>{{"s", 1}, {"m", 60}, {"h", 3600}, {"d", 86400}});
  size.description("");  // replaced by the option's description
  time.description("");
  auto add = [&](const char* name, auto& value, const char* description, const char* type) {
    return command.add_option(name, value, description)->type_name(type)->group(kLimits);
  };
  add("--memory", arguments.memory_bytes, "Limit the memory per branch: bytes, or as in 512M, 2G",
      "SIZE")
      ->transform(size);
  add("--pids", arguments.pids, "Limit the processes per branch", "COUNT");
  add("--cpus", arguments.cpus, "Limit the processors per branch, as in 1.5", "COUNT");
  add("--ttl", arguments.ttl_s, "End the session after this time: seconds, or as in 10m, 2h, 1d",
      "TIME")
      ->transform(time);
  add("--idle", arguments.idle_s, "End the session after this time without use", "TIME")
      ->transform(time);
  add("--max-bytes", arguments.max_bytes, "Limit the total size of its snapshots, as in 10G",
      "SIZE")
      ->transform(size);
  add("--max-branches", arguments.max_branches, "Limit the live branches", "COUNT");
}

}  // namespace

void add_new_command(CLI::App& app, int& exit_code) {
  auto [command, arguments] = add_daemon_command<NewArguments>(
      app, exit_code, "new", "Start a session; print its id", run_new);
  command
      .add_option("ROOT", arguments.root,
                  "Directory, archive or root's name (default: /); image:NAME with docker, podman")
      ->type_name("FILE");
  command.add_option("--name", arguments.name, "Name the session")->type_name("NAME");
  command
      .add_option("--backend", arguments.backend,
                  "Use this backend, as listed by `doctor` (default: waypoint)")
      ->type_name("NAME|auto");
  command
      .add_option("--policy", arguments.policy,
                  "Choose physical nodes by this policy (default: eager); every-N: each N-th")
      ->type_name("eager|lazy|smart");
  command
      .add_option("--net", arguments.network,
                  "Connect to loopback only, or to the host's network (default: none)")
      ->type_name("none|host");
  command
      .add_option("--engine", arguments.engine,
                  "Capture processes with this engine (default: auto)")
      ->type_name("auto|native|criu");
  command.add_option("--user", arguments.user, "Run the shell as this user")->type_name("USER");
  command.add_option("--cwd", arguments.cwd, "Start the shell in this directory")->type_name("DIR");
  command
      .add_option("-e,--env", arguments.env,
                  "Set an environment variable of the shell; may be repeated")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  command.add_option("--label", arguments.labels, "Label the session; may be repeated")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  add_limits(command, arguments);
  command.footer(
      "Examples:\n"
      "  s=$(statefork new)\n"
      "  statefork new debian.tar                 see `statefork root --help`\n"
      "  statefork new /srv/image --name work --net host -e LANG=C.UTF-8 --memory 2G --idle 2h");
}

}  // namespace sf::cli
