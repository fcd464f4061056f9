#include "cli/commands/command_frame.h"

#include <algorithm>
#include <cmath>
#include <iostream>
#include <nlohmann/json.hpp>

#include "base/request_limits.h"
#include "cli/render/help_format.h"
#include "cli/render/text_layout.h"
#include "wire/problem.h"

namespace sf::cli {
namespace {

// The JSON library or std::map throws if an answer lacks a field that this version expects.
Result<int> guarded(const std::function<Result<int>(ApiClient&)>& work, ApiClient& client) {
  try {
    return work(client);
  } catch (const std::exception& error) {
    return fail(ErrorCode::kCorrupt,
                std::string("malformed reply from the daemon: ") + error.what(),
                "check that client and daemon have the same version");
  }
}

std::string json_text(const wire::Json& json) {
  return json.dump(2, ' ', false, wire::Json::error_handler_t::replace) + "\n";
}

}  // namespace

void add_location_options(CLI::App& command, DaemonLocation& location) {
  command.add_option("--socket", location.socket_path, "Use the daemon at this socket")
      ->type_name("FILE")
      ->envname("STATEFORK_SOCKET")
      ->group(kDaemonGroup)
      ->capture_default_str();
  command.add_option("--state", location.state_dir, "Keep the data of a newly started daemon here")
      ->type_name("DIR")
      ->envname("STATEFORK_STATE")
      ->group(kDaemonGroup)
      ->capture_default_str();
}

void add_json_option(CLI::App& command, bool& json) {
  command.add_flag("--json", json, "Print JSON; errors too, on standard error");
}

CLI::Option* add_session_argument(CLI::App& command, SessionAddress& address,
                                  const std::string& description) {
  auto take = [&address](const std::string& text) {
    auto parsed = parse_address(text);
    if (!parsed) throw CLI::ValidationError("S", parsed.error().describe());
    address = std::move(*parsed);
  };
  return command.add_option_function<std::string>("S", take, description)
      ->type_name("S")
      ->required();
}

CLI::Option* add_node_argument(CLI::App& command, const std::string& name, std::string& node,
                               const std::string& description) {
  return command.add_option(name, node, description)->type_name("NODE");
}

std::uint64_t timeout_ms(double seconds) {
  const double most = std::chrono::duration<double>(kMaxTimeout).count();
  return static_cast<std::uint64_t>(std::ceil(std::min(seconds, most) * 1000));
}

int with_daemon(const CommandFrame& frame, const std::function<Result<int>(ApiClient&)>& work) {
  ApiClient client = daemon_client(frame.location);
  Result<int> done = guarded(work, client);
  std::cout.flush();
  if (done.ok()) return *done;
  print_failure(done.error(), frame.json);
  return frame.failed;
}

void print_failure(const Error& error, bool as_json) {
  if (!as_json) return print_error(error);
  std::cerr << json_text(wire::problem_from_error(error));
}

void print_error(const Error& error) {
  print_remark(error.message);
  if (!error.hint.empty()) std::cerr << "  hint: " << error.hint << '\n';
}

void print_remark(const std::string& text) { std::cerr << "statefork: " << text << '\n'; }

void print_doubts(const wire::Json& answer) {
  for (const wire::Json& one : answer.value("accepted", wire::Json::array()))
    print_remark("diverged: " + one_line(one.value("state", "").empty() ? one.value("command", "")
                                                                        : one.value("state", "")));
  if (const std::string why = answer.value("unproven", ""); !why.empty())
    print_remark("not proven to be the node's state: " + why);
}

void add_accept_flag(CLI::App& command, bool& accept) {
  command.add_flag("--accept-divergence", accept,
                   "Continue if a replay diverges or cannot be compared");
}

void print_json(const wire::Json& json) { std::cout << json_text(json); }

int print_answer(const CommandFrame& frame, const wire::Json& answer,
                 const std::function<std::string(const wire::Json&)>& tell) {
  std::cout << (frame.json ? json_text(answer) : tell(answer));
  return 0;
}

Result<std::map<std::string, std::string>> parse_pairs(const std::vector<std::string>& words,
                                                       const std::string& what) {
  std::map<std::string, std::string> pairs;
  for (const std::string& word : words) {
    std::size_t equals = word.find('=');
    if (equals == std::string::npos || equals == 0)
      return invalid(what + " takes KEY=VALUE, not '" + word + "'");
    pairs[word.substr(0, equals)] = word.substr(equals + 1);
  }
  return pairs;
}

}  // namespace sf::cli
