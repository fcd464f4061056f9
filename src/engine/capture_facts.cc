#include "engine/capture_facts.h"

#include <algorithm>
#include <sstream>

#include "os/file.h"

namespace sf::waypoint {

bool has_tcp_in_flight(const std::string& table) {
  std::istringstream lines(table);
  std::string line;
  std::getline(lines, line);  // heading
  while (std::getline(lines, line)) {
    std::istringstream fields(line);
    std::string slot;
    std::string local;
    std::string remote;
    std::string state;
    std::string queues;
    if (!(fields >> slot >> local >> remote >> state >> queues)) continue;
    bool settled = state == "01" || state == "0A" || state == "06" || state == "07" ||
                   state == "08" || state == "05";
    bool sending = state != "0A" && !queues.starts_with("00000000:");
    if (!settled || sending) return true;
  }
  return false;
}

bool has_entries(const std::string& table) { return std::ranges::count(table, '\n') > 1; }

bool has_ipc_objects(const std::string& tables) {
  for (const char* table : {"/shm", "/sem", "/msg"}) {
    auto text = os::read_file(tables + table);
    if (!text || has_entries(*text)) return true;
  }
  return false;
}

}  // namespace sf::waypoint
