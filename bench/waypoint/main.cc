// bench_waypoint: compares Waypoint with bare CRIU on the same trees in one run. No number makes it
// fail.
//
//   bench_waypoint [--quick] [--n N] [--only TEXT] [--json FILE] [--markdown]
#include <charconv>
#include <cstdio>
#include <optional>

#include "bench_main.h"
#include "engine/criu/criu_binary.h"
#include "host_context.h"
#include "os/file.h"
#include "report.h"
#include "rounds.h"

namespace sf::bench {
namespace {

constexpr const char* kUsage =
    "usage: bench_waypoint [--quick] [--n N] [--only TEXT] [--json FILE] [--markdown]\n"
    "  --quick      3 rounds per tree, at most 85 s\n"
    "  --n N        rounds per tree (default 11, at most 340 s in all)\n"
    "  --only TEXT  only the idle shell and trees with TEXT in their name\n"
    "  --json FILE  all samples\n"
    "  --markdown   tables for the documentation\n";

struct Options {
  std::size_t rounds = 11;
  seconds limit{340};
  std::string only;
  std::string json;
  Layout layout = Layout::kAligned;
};

Result<Options> parse(int argc, char** argv) {
  Options options;
  std::vector<std::string> words(argv + 1, argv + argc);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "--quick") {
      options.rounds = 3;
      options.limit = seconds(85);
    } else if (word == "--markdown") {
      options.layout = Layout::kMarkdown;
    } else if (i + 1 < words.size() && word == "--only") {
      options.only = words[++i];
    } else if (i + 1 < words.size() && word == "--json") {
      options.json = words[++i];
    } else if (i + 1 < words.size() && word == "--n") {
      const std::string& value = words[++i];
      auto [end, error] =
          std::from_chars(value.data(), value.data() + value.size(), options.rounds);
      if (error != std::errc() || *end != '\0' || options.rounds == 0)
        return invalid("--n takes a number of rounds, not " + value);
    } else {
      return invalid("unknown argument " + word + "\n" + kUsage);
    }
  }
  return options;
}

bool is_wanted(const Tree& tree, std::size_t index, const std::string& only) {
  return index == 0 || only.empty() || tree.name.find(only) != std::string::npos;
}

void say_progress(const TreeSamples& tree) {
  std::fprintf(stderr, "  %s: %zu rounds%s\n", tree.tree.name.c_str(), tree.rounds,
               tree.problem ? (", then: " + *tree.problem).c_str() : "");
}

Status run(const Options& options) {
  Interruption interruption;
  Deadline deadline = Deadline::after(options.limit);
  SF_TRY_ASSIGN(TemporaryDirectory directory, TemporaryDirectory::create("bench-waypoint"));
  SF_TRY_ASSIGN(std::string criu, waypoint::find_criu(""));
  SF_TRY_ASSIGN(PlainShell shell, PlainShell::start());
  SF_TRY_ASSIGN(waypoint::Waypoint opened,
                waypoint::Waypoint::open({.store_dir = directory.path() + "/store"}));
  Store store(std::move(opened));
  BareCriu bare(criu, directory.path());
  SF_TRY_ASSIGN(Facts facts, collect_facts(criu, directory.path(), store->file_layers()));
  std::fputs(header_text(facts, options.rounds, options.layout).c_str(), stdout);
  std::fflush(stdout);

  Rounds rounds(*store, bare, shell, [] { return Interruption::requested(); });
  std::vector<Tree> trees = all_trees();
  (void)rounds.measure(trees.front(), 1, deadline);  // warm-up: caches, templates, spare keeper
  std::vector<TreeSamples> measured;
  for (std::size_t i = 0; i < trees.size() && !Interruption::requested(); ++i) {
    if (!is_wanted(trees[i], i, options.only)) continue;
    measured.push_back(rounds.measure(trees[i], options.rounds, deadline));
    say_progress(measured.back());
  }
  std::fputs(report_text(measured, options.layout).c_str(), stdout);
  std::printf("load at the end: %s\n", load_averages().c_str());
  if (!options.json.empty())
    SF_TRY(os::write_file(options.json, samples_json(facts, measured), 0644));
  return Ok{};
}

}  // namespace
}  // namespace sf::bench

int main(int argc, char** argv) {
  using sf::bench::Options;
  return sf::bench::run_main<Options>(
      "bench_waypoint", [&] { return sf::bench::parse(argc, argv); }, sf::bench::run);
}
