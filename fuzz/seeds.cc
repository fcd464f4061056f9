// fuzz_seeds NAME PLACE: passes the file PLACE, or every file of the directory PLACE, to one
// fuzzer, without libFuzzer. A failed check aborts the program.
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "os/file.h"

namespace sf::fuzz {

#define SF_FUZZ_TARGET(name) void name(std::string_view input);
#include "fuzz_targets.inc"
#undef SF_FUZZ_TARGET

namespace {

using Target = void (*)(std::string_view input);

Target find_target(std::string_view name) {
#define SF_FUZZ_TARGET(known) \
  if (name == #known) return &known;
#include "fuzz_targets.inc"
#undef SF_FUZZ_TARGET
  return nullptr;
}

Result<std::vector<std::string>> files_at(const std::string& location) {
  auto names = os::list_directory(location);
  if (!names) return std::vector<std::string>{location};
  std::vector<std::string> files;
  for (const std::string& name : *names) files.push_back(location + "/" + name);
  if (files.empty()) return invalid(location + " is empty", "add some valid inputs");
  return files;
}

Status replay(Target target, const std::string& location) {
  constexpr std::size_t kMaxSeed = 1U << 20U;
  target({});
  SF_TRY_ASSIGN(std::vector<std::string> files, files_at(location));
  for (const std::string& file : files) {
    SF_TRY_ASSIGN(std::string input, os::read_file(file, kMaxSeed));
    std::printf("%s\n", file.c_str());
    std::fflush(stdout);  // the last printed file is the failing one
    target(input);
  }
  return Ok{};
}

}  // namespace
}  // namespace sf::fuzz

int main(int argc, char** argv) {
  auto target = argc == 3 ? sf::fuzz::find_target(argv[1]) : nullptr;
  if (target == nullptr) {
    std::fprintf(stderr, "usage: fuzz_seeds NAME FILE-OR-DIRECTORY (names: fuzz/CMakeLists.txt)\n");
    return 2;
  }
  sf::Status done = sf::fuzz::replay(target, argv[2]);
  if (done.ok()) return 0;
  std::fprintf(stderr, "%s\n", done.error().describe().c_str());
  return 1;
}
