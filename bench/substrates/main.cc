// bench_substrates: snapshot, restore, commands, depth and width of every backend in one run.
#include <sys/mount.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <vector>

#include "backends/registry.h"
#include "base/split.h"
#include "bench_main.h"
#include "engines.h"
#include "os/error.h"
#include "os/file.h"
#include "os/host_info.h"
#include "os/run_program.h"
#include "substrates/measure.h"
#include "testing/temp_dir.h"

namespace sf::bench {
namespace {

constexpr const char* kUsage =
    "[--quick] [--root DIR] [--backends a,b] [--rounds N] [--sizes 0,64] [--depths 1,10] "
    "[--widths 1,10] [--json FILE] [--svg FILE]";
constexpr const char* kInside = "STATEFORK_BENCH_INSIDE";

struct Options {
  Plan plan;
  std::vector<std::string> backends = {"waypoint", "criu",    "gvisor", "podman",
                                       "vm",       "overlay", "docker", "podman-commit"};
  std::string json;
  std::string svg;
};

std::vector<int> numbers(const std::string& text) {
  std::vector<int> all;
  for (const std::string& word : split(text, ',')) {
    if (!word.empty()) all.push_back(std::atoi(word.c_str()));
  }
  return all;
}

Result<Options> parse(int argc, char** argv) {
  Options options;
  options.plan.root = test::Engines::root();
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (name == "--quick") {
      options.plan.rounds = 2;
      options.plan.sizes = {0, 64};
      options.plan.depths = {1, 10};
      options.plan.widths = {1, 5};
      continue;
    }
    if (i + 1 == argc)
      return invalid("unknown argument " + name + ", or its value is missing", kUsage);
    const std::string value = argv[++i];
    if (name == "--root") {
      options.plan.root = value;
    } else if (name == "--backends") {
      options.backends = split(value, ',');
    } else if (name == "--rounds") {
      options.plan.rounds = std::atoi(value.c_str());
    } else if (name == "--sizes") {
      options.plan.sizes = numbers(value);
    } else if (name == "--depths") {
      options.plan.depths = numbers(value);
    } else if (name == "--widths") {
      options.plan.widths = numbers(value);
    } else if (name == "--json") {
      options.json = value;
    } else if (name == "--svg") {
      options.svg = value;
    } else {
      return invalid("unknown argument " + name, kUsage);
    }
  }
  if (options.plan.root.empty())
    return invalid("--root is missing", "use --root DIR, for example made by debootstrap");
  return options;
}

// Docker and podman leave mounts and processes behind; private namespaces end with this program. If
// /run is a tmpfs, CRIU caches the features of the kernel in it and does not detect them again for
// each call.
Status enter_namespaces(char** argv) {
  if (std::getenv(kInside) != nullptr) {
    if (::mount("tmpfs", "/run", "tmpfs", 0, "mode=755") != 0)
      return os::last_error("mounting /run");
    return Ok{};
  }
  ::setenv(kInside, "1", 1);
  std::vector<const char*> words = {"unshare", "--mount", "--propagation",     "private",
                                    "--pid",   "--fork",  "--kill-child",      "--mount-proc",
                                    "sh",      "-c",      "\"$@\" || exit $?", "sh"};
  for (char** word = argv; *word != nullptr; ++word) words.push_back(*word);
  words.push_back(nullptr);
  ::execvp("unshare", const_cast<char**>(words.data()));
  return os::last_error("running unshare");
}

std::string version_of(const std::vector<std::string>& argv) {
  auto shown = os::run_program(argv, Deadline::after(seconds(20)));
  return shown ? shown->text.substr(0, shown->text.find('\n')) : "";
}

std::vector<std::string> facts_of(const Plan& plan) {
  char date[32];
  std::time_t now = std::time(nullptr);
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  std::strftime(date, sizeof date, "%Y-%m-%d %H:%M UTC", &utc);
  auto load = os::read_file("/proc/loadavg");
  return {std::string(date) + ", Linux " + os::kernel_release() + ", " +
              std::to_string(::sysconf(_SC_NPROCESSORS_ONLN)) + " CPUs, load " +
              (load ? load->substr(0, load->find(' ')) : "?") + " at the start",
          version_of({"/usr/bin/podman", "--version"}) + "; " +
              version_of({"/usr/sbin/dockerd", "--version"}) + "; " +
              version_of({"/opt/statefork/gvisor/bin/runsc", "--version"}) + "; " +
              version_of({"/usr/bin/qemu-system-x86_64", "--version"}),
          "the virtual machine has 2 GB and the accelerator tcg",
          std::to_string(plan.rounds) +
              " rounds; in each, every backend takes one snapshot and goes to the base and back",
          "chains grow in turns, and a number is that of the five nodes up to it; a chain ends "
          "when it keeps more than 16 GB; forks are made three times",
          "times end when the next command has been answered; cleanup is not included"};
}

Status run(const Options& wanted) {
  Plan plan = wanted.plan;
  plan.progress = [](const std::string& line) { std::fprintf(stderr, "%s\n", line.c_str()); };
  test::Engines engines;
  test::TempDir dir("sf-bench");
  backends::BackendRegistry registry({.store_dir = dir / "store"}, engines.tools());
  std::vector<Contender> contenders;
  for (const std::string& name : wanted.backends) {
    SF_TRY(engines.prepare(name));
    auto made = registry.make(name);
    if (!made) return std::move(made).error().while_doing("backend " + name);
    contenders.push_back({name, std::move(*made)});
  }
  Results results;
  results.facts = facts_of(plan);
  for (State state : {State::kMemory, State::kFiles}) {
    for (Point& point : measure_states(contenders, plan, state))
      results.points.push_back(std::move(point));
  }
  results.taxes = measure_taxes(contenders, plan);
  results.depths = measure_depths(contenders, plan);
  results.widths = measure_widths(contenders, plan);
  std::fputs(to_markdown(results).c_str(), stdout);
  if (!wanted.json.empty()) SF_TRY(os::write_file(wanted.json, to_json_text(results)));
  if (!wanted.svg.empty()) SF_TRY(os::write_file(wanted.svg, to_svg(results)));
  if (registry.waypoint()) registry.waypoint()->end_all();
  return Ok{};
}

}  // namespace
}  // namespace sf::bench

int main(int argc, char** argv) {
  return sf::bench::run_main<sf::bench::Options>(
      "bench_substrates",
      [&]() -> sf::Result<sf::bench::Options> {
        SF_TRY(sf::bench::enter_namespaces(argv));
        return sf::bench::parse(argc, argv);
      },
      sf::bench::run);
}
