#include "cli/daemon/program_search.h"

#include <unistd.h>

#include "os/error.h"
#include "os/file.h"

namespace sf::cli {
namespace {

constexpr const char* kInstalledBeside = "/../libexec/statefork";

}  // namespace

Result<std::string> find_program(const std::string& name) {
  SF_TRY_ASSIGN(std::string self, os::read_link("/proc/self/exe"));
  const std::string directory = self.substr(0, self.rfind('/'));
  for (const std::string& location : {directory, directory + kInstalledBeside}) {
    if (std::string program = location + "/" + name; os::exists(program)) return program;
  }
  return fail(ErrorCode::kNotFound, directory + "/" + name + " is missing",
              "install it beside `statefork`");
}

Error become_program(const std::string& name, const std::vector<std::string>& arguments) {
  auto program = find_program(name);
  if (!program) return std::move(program).error();
  std::vector<std::string> words{*program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  ::execv(program->c_str(), argv.data());
  return os::last_error("starting " + *program);
}

}  // namespace sf::cli
