#include "cli/command_frame.h"

#include <iostream>
#include <nlohmann/json.hpp>

namespace sf::cli {
namespace {

// An answer whose fields are of other types than this version knows makes the JSON library throw.
Result<int> guarded(const std::function<Result<int>(ApiClient&)>& work, ApiClient& client) {
  try {
    return work(client);
  } catch (const wire::Json::exception& error) {
    return fail(ErrorCode::kCorrupt,
                std::string("the daemon's answer makes no sense: ") + error.what(),
                "do client and daemon have the same version?");
  }
}

}  // namespace

void add_place_options(CLI::App& command, DaemonPlace& place) {
  command.add_option("--socket", place.socket_path, "The daemon's socket")
      ->type_name("PATH")
      ->envname("STATEFORK_SOCKET")
      ->capture_default_str();
  command.add_option("--state", place.state_dir, "Where a daemon that is started keeps everything")
      ->type_name("DIR")
      ->envname("STATEFORK_STATE")
      ->capture_default_str();
}

void add_json_option(CLI::App& command, bool& json) {
  command.add_flag("--json", json, "Print the daemon's answer as JSON");
}

int with_daemon(const CommandFrame& frame, const std::function<Result<int>(ApiClient&)>& work,
                int failed) {
  Status ready = ensure_daemon(frame.place);
  ApiClient client(frame.place.socket_path);
  Result<int> done = ready.ok() ? guarded(work, client) : Result<int>(std::move(ready).error());
  std::cout.flush();
  if (done.ok()) return *done;
  print_error(done.error());
  return failed;
}

void print_error(const Error& error) {
  std::cerr << "statefork: " << error.message << '\n';
  if (!error.hint.empty()) std::cerr << "  hint: " << error.hint << '\n';
}

void print_json(const wire::Json& json) {
  std::cout << json.dump(2, ' ', false, wire::Json::error_handler_t::replace) << '\n';
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
