#include <cstdlib>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands/session_address.h"
#include "cli/daemon/daemon_start.h"
#include "cli/render/text_layout.h"
#include "cli_full/completion.h"
#include "cli_full/full_commands.h"
#include "client/api_client.h"

namespace sf::cli {

using client::ApiClient;
namespace {

using wire::Json;

constexpr seconds kTimeout{2};  // the user waits after pressing Tab
constexpr std::size_t kShownCommand = 40;

std::string socket_path(const std::vector<std::string>& words) {
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    if (words[i] == "--socket") return words[i + 1];
  }
  const char* set = std::getenv("STATEFORK_SOCKET");
  return set == nullptr ? DaemonLocation().socket_path : set;
}

std::vector<Candidate> session_names(const ApiClient& client, bool with_branches) {
  std::vector<Candidate> found;
  auto list = client.get("/v1/sessions");
  if (!list) return found;
  for (const Json& session : list->at("sessions")) {
    const std::string id = session.value("id", "");
    const std::string name = session.value("name", "");
    const std::string facts =
        session.value("backend", "") + ", " + std::to_string(session.value("nodes", 0)) + " nodes";
    for (const std::string& called : {name, id}) {
      if (called.empty()) continue;
      found.push_back({called, called == name ? id + ", " + facts : facts});
      if (!with_branches) continue;
      for (const Json& branch : session.at("branches"))
        found.push_back({called + "/" + branch.value("id", ""), "at " + branch.value("node", "")});
    }
  }
  return found;
}

std::vector<Candidate> node_names(const ApiClient& client, const std::string& session) {
  std::vector<Candidate> found;
  auto address = parse_address(session);
  if (!address) return found;
  auto tree = client.get(address->session_path() + "/tree");
  if (!tree) return found;
  found.push_back({"HEAD", "where " + address->branch + " stands"});
  for (const Json& node : tree->at("nodes")) {
    const std::string name = node.value("name", "");
    const Json log = node.value("log", Json::array());
    const std::string what = log.empty() ? node.value("kind", "")
                                         : one_line(log.back().value("text", ""), kShownCommand);
    found.push_back({node.value("id", ""), name.empty() ? what : name});
    if (!name.empty()) found.push_back({name, node.value("id", "")});
  }
  return found;
}

}  // namespace

void print_completions(const CLI::App& app, const std::vector<std::string>& words) {
  const ApiClient client(socket_path(words), kTimeout);
  const NameSource names{[&](bool with_branches) { return session_names(client, with_branches); },
                         [&](const std::string& session) { return node_names(client, session); }};
  try {
    std::cout << to_lines(complete(app, words, names));
  } catch (const std::exception&) {
    // The daemon has another version: offer nothing.
  }
}

void add_completion_command(CLI::App& app, int& exit_code) {
  auto shell = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("completion", "Print a shell's completion script");
  command->add_option("SHELL", *shell, "Which shell")->type_name("bash|zsh|fish")->required();
  command->footer(
      "If a daemon is running, sessions, branches and nodes are completed, too.\n"
      "Examples:\n"
      "  source <(statefork completion bash)              in ~/.bashrc\n"
      "  source <(statefork completion zsh)               in ~/.zshrc, after compinit\n"
      "  statefork completion fish >~/.config/fish/completions/statefork.fish");
  command->callback([shell, &exit_code] {
    const std::string script = completion_script(*shell);
    if (script.empty()) {
      std::cerr << "statefork: no completion for '" << *shell << "'\n  hint: bash, zsh or fish\n";
      exit_code = 2;
    }
    std::cout << script;
  });
}

}  // namespace sf::cli
