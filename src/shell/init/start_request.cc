#include "shell/init/start_request.h"

namespace sf::waypoint {
namespace {

void put(std::string& out, const std::string& word) {
  out += word;
  out.push_back('\0');
}

void put_list(std::string& out, const std::vector<std::string>& words) {
  put(out, std::to_string(words.size()));
  for (const std::string& word : words) put(out, word);
}

}  // namespace

std::string encode(const StartRequest& request) {
  std::string out;
  put(out, request.kind);
  put(out, std::to_string(request.id));
  put(out, std::to_string(request.who.uid));
  put(out, std::to_string(request.who.gid));
  put(out, std::to_string(request.who.groups.size()));
  for (gid_t group : request.who.groups) put(out, std::to_string(group));
  put(out, request.cwd);
  put_list(out, request.argv);
  put_list(out, request.env);
  put(out, "");  // init overwrites this word with the end of its last array
  return out;
}

}  // namespace sf::waypoint
