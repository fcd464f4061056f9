#include "backends/hosted/tool_search.h"

#include <sys/stat.h>

#include "backends/hosted/unfinished_files.h"
#include "base/split.h"
#include "os/error.h"
#include "os/file.h"

namespace sf::backends {
namespace {

constexpr std::size_t kMaxProgram = 256U << 20U;

}  // namespace

Result<std::string> find_program(const std::string& name, const std::string& hint,
                                 const std::string& first) {
  for (const std::string& directory : split(first + ":" + kProgramPath, ':')) {
    if (!directory.empty() && os::exists(directory + "/" + name)) return directory + "/" + name;
  }
  return fail(ErrorCode::kNotFound, name + " is not installed", hint);
}

Status check_agent(const HostContext& around) {
  if (os::exists(around.agent)) return Ok{};
  return fail(ErrorCode::kNotFound, around.agent + " is missing", "install it next to `statefork`");
}

Result<std::string> kept_agent(const HostContext& around) {
  struct stat file {};
  if (::stat(around.agent.c_str(), &file) != 0) return os::last_error("looking at " + around.agent);
  const std::string directory = around.state_dir + "/agents";
  const std::string path = directory + "/" + std::to_string(file.st_size) + "-" +
                           std::to_string(file.st_mtim.tv_sec) + "." +
                           std::to_string(file.st_mtim.tv_nsec);
  if (os::exists(path)) return path;
  SF_TRY(os::make_directories(directory));
  remove_drafts(directory);
  SF_TRY_ASSIGN(std::string program, os::read_file(around.agent, kMaxProgram));
  SF_TRY(os::publish_file(path, program, 0755));
  return path;
}

Result<std::vector<std::string>> names_in(const std::string& directory) {
  if (!os::exists(directory)) return std::vector<std::string>();
  return os::list_directory(directory);
}

}  // namespace sf::backends
