#include "facts.h"

#include <ctime>
#include <thread>

#include "engine/criu/criu_binary.h"
#include "os/file.h"
#include "os/host_info.h"

namespace sf::bench {
namespace {

std::string now_in_utc() {
  std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  char text[32] = {};
  std::strftime(text, sizeof text, "%Y-%m-%d %H:%M UTC", &parts);
  return text;
}

}  // namespace

std::string load_averages() {
  auto text = os::read_file("/proc/loadavg");
  if (!text) return "unknown";
  std::size_t end = 0;
  for (int word = 0; word < 3 && end != std::string::npos; ++word) end = text->find(' ', end + 1);
  return text->substr(0, end);
}

Result<Facts> collect_facts(const std::string& criu_path, const std::string& store_dir,
                            const std::string& file_layers) {
  SF_TRY_ASSIGN(waypoint::CriuVersion version, waypoint::criu_version(criu_path));
  SF_TRY_ASSIGN(os::DirectoryFacts directory, os::look_at_directory(store_dir));
  return Facts{.date = now_in_utc(),
               .kernel = os::kernel_release(),
               .cpus = std::thread::hardware_concurrency(),
               .load = load_averages(),
               .criu = to_string(version),
               .file_layers = file_layers,
               .store = store_dir + " (" + directory.file_system + ")"};
}

}  // namespace sf::bench
