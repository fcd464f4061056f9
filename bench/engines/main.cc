// bench_engines: compares the process engines and bare CRIU on the same trees in one run. No number
// makes it fail.
//
//   bench_engines [--n N] [--only TEXT] [--markdown]
#include <array>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <list>
#include <map>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/scope_exit.h"
#include "bench_main.h"
#include "engine/criu/criu_binary.h"
#include "engines/forks.h"
#include "host_context.h"
#include "statistics.h"
#include "table.h"
#include "waypoint/bare_criu.h"
#include "waypoint/facts.h"
#include "waypoint/waypoint.h"

namespace sf::bench {
namespace {

using waypoint::EngineChoice;

constexpr const char* kUsage =
    "usage: bench_engines [--n N] [--only TEXT] [--markdown]\n"
    "  --n N        rounds per tree (default 9)\n"
    "  --only TEXT  only trees with TEXT in their name\n";
constexpr auto kPause = milliseconds(200);  // retired keepers end in the background
constexpr auto kPrepareTime = milliseconds(120'000);
constexpr std::string_view kForks = "50 forks of 256 MB";

struct EngineTree {
  std::string name;
  std::string prepare;  // empty: nothing
  std::string touch;    // before each snapshot
};

// Holds random bytes. On each line of input it writes to 256 pages, evenly spread.
std::string holder(std::size_t megabytes) {
  return "mkfifo /tmp/in /tmp/out; python3 -c '\nimport os\nheld = bytearray(os.urandom(" +
         std::to_string(megabytes) +
         " << 20))\nasked = open(\"/tmp/in\")\ntold = open(\"/tmp/out\", \"w\")\n"
         "told.write(\"up\\n\"); told.flush()\n"
         "for line in asked:\n  step = len(held) // 256\n"
         "  for i in range(256): held[i * step] = (held[i * step] + 1) % 256\n"
         "  told.write(\"done\\n\"); told.flush()\n' & exec 8<>/tmp/in 9<>/tmp/out; read -r x <&9";
}

std::vector<EngineTree> engine_trees() {
  const std::string touch = "echo >&8; read -r x <&9";
  return {
      {"idle shell", "", "x=$RANDOM"},
      {"+ 64 MB", holder(64), touch},
      {"+ 256 MB, 1 MB touched", holder(256), touch},
      {"+ 1 GB, 1 MB touched", holder(1024), touch},
      {"+ 30 processes", "for i in $(seq 30); do sleep 1000000 & done; sleep 0.5", "x=$RANDOM"},
  };
}

enum class Column { kSnapshot, kStopped, kRestore, kFork, kMegabytes };
constexpr std::size_t kColumns = 5;
using Samples = std::array<std::vector<double>, kColumns>;

double in_ms(microseconds span) { return static_cast<double>(span.count()) / 1000.0; }

struct Options {
  std::size_t rounds = 9;
  std::string only;
  Layout layout = Layout::kAligned;
};

Result<Options> parse(int argc, char** argv) {
  Options options;
  std::vector<std::string> words(argv + 1, argv + argc);
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--markdown") {
      options.layout = Layout::kMarkdown;
    } else if (i + 1 < words.size() && words[i] == "--only") {
      options.only = words[++i];
    } else if (i + 1 < words.size() && words[i] == "--n") {
      const std::string& value = words[++i];
      auto [end, error] =
          std::from_chars(value.data(), value.data() + value.size(), options.rounds);
      if (error != std::errc() || *end != '\0' || options.rounds == 0)
        return invalid("--n takes a number of rounds, not " + value);
    } else {
      return invalid("unknown argument " + words[i] + "\n" + kUsage);
    }
  }
  return options;
}

// Each engine has a manager of its own, because pools and prepared trees belong to one engine.
struct Contender {
  Contender(std::string called, EngineChoice chosen, waypoint::Waypoint manager)
      : name(std::move(called)), engine(chosen), store(std::move(manager)) {}
  std::string name;
  EngineChoice engine;
  Store store;
  waypoint::BranchId branch = waypoint::BranchId("");
};

class Comparison {
 public:
  Comparison(std::list<Contender>& contenders, BareCriu& bare)
      : contenders_(contenders), bare_(bare) {}

  // Rows by engine. All engines take part in every round, so that they see the same load.
  Result<std::map<std::string, Samples>> measure(const EngineTree& tree, std::size_t rounds) {
    std::map<std::string, Samples> rows;
    ScopeExit end([&] {
      for (Contender& each : contenders_) {
        each.store->end_all();
        for (const auto& left : each.store->checkpoints()) (void)each.store->remove(left.id);
      }
    });
    for (Contender& each : contenders_) {
      SF_TRY_ASSIGN(each.branch, each.store->start({.engine = each.engine}));
      if (!tree.prepare.empty()) SF_TRY(run(each, tree.prepare));
    }
    for (std::size_t i = 0; i <= rounds && !Interruption::requested(); ++i) {
      std::map<std::string, Samples> first;  // the first round warms up
      for (Contender& each : contenders_) {
        SF_TRY(round(tree, each, i == 0 ? first[each.name] : rows[each.name]));
        if (each.engine == EngineChoice::kCriu)
          SF_TRY(bare_round(each, i == 0 ? first["bare"] : rows["bare CRIU"]));
      }
    }
    return rows;
  }

 private:
  static void add(Samples& samples, Column column, double value) {
    samples[static_cast<std::size_t>(column)].push_back(value);
  }
  static void settle() { std::this_thread::sleep_for(kPause); }

  static Status run(Contender& where, const std::string& command) {
    SF_TRY_ASSIGN(Observation ran,
                  where.store->exec(where.branch, {.command = command, .timeout = kPrepareTime}));
    if (ran.exit_code != 0 || ran.timed_out)
      return fail(ErrorCode::kOs, "in a branch: " + command + "\n" + ran.output);
    return Ok{};
  }

  static Status round(const EngineTree& tree, Contender& by, Samples& samples) {
    SF_TRY(run(by, tree.touch));
    settle();
    Stopwatch watch;
    SF_TRY_ASSIGN(waypoint::CheckpointInfo info, by.store->checkpoint(by.branch));
    add(samples, Column::kSnapshot, in_ms(watch.elapsed()));
    add(samples, Column::kStopped, in_ms(info.stopped));
    add(samples, Column::kMegabytes, static_cast<double>(info.image_bytes) / (1U << 20U));
    settle();
    watch = Stopwatch();
    SF_TRY(by.store->restore(by.branch, info.id));
    SF_TRY(run(by, "true"));
    add(samples, Column::kRestore, in_ms(watch.elapsed()));
    settle();
    watch = Stopwatch();
    auto forks = by.store->fork(info.id, 1);
    add(samples, Column::kFork, in_ms(watch.elapsed()));
    if (!forks[0]) return std::move(forks[0]).error();
    SF_TRY(by.store->end(*forks[0]));
    settle();
    return by.store->remove(info.id);
  }

  Status bare_round(Contender& of, Samples& samples) {
    for (const waypoint::BranchInfo& info : of.store->branches()) {
      SF_TRY_ASSIGN(microseconds dumped, bare_.dump(info.keeper_pid, Launch::kTimed));
      add(samples, Column::kSnapshot, in_ms(dumped));
      settle();
      SF_TRY_ASSIGN(BareCriu::Restored restored, bare_.restore(info.keeper_pid, Launch::kTimed));
      add(samples, Column::kRestore, in_ms(restored.took));
    }
    settle();
    return Ok{};
  }

  std::list<Contender>& contenders_;
  BareCriu& bare_;
};

std::string cell(const std::vector<double>& values) {
  if (values.empty()) return "-";
  char text[48];
  std::snprintf(text, sizeof text, "%.1f (%.1f)", median(values), minimum(values));
  return text;
}

void add_rows(Table& table, const std::string& tree, const std::map<std::string, Samples>& rows) {
  for (const auto& [engine, samples] : rows) {
    std::vector<std::string> row = {tree + ", " + engine};
    for (const std::vector<double>& values : samples) row.push_back(cell(values));
    table.rows.push_back(std::move(row));
  }
}

Status compare(const Options& options) {
  Interruption interruption;
  SF_TRY_ASSIGN(TemporaryDirectory directory, TemporaryDirectory::create("bench-engines"));
  SF_TRY_ASSIGN(std::string criu, waypoint::find_criu(""));
  std::list<Contender> contenders;
  auto add = [&](const std::string& name, EngineChoice engine, std::size_t prerestores) -> Status {
    SF_TRY_ASSIGN(waypoint::Waypoint manager,
                  waypoint::Waypoint::open(
                      {.store_dir = directory.path() + "/" + std::to_string(contenders.size()),
                       .prerestores = prerestores}));
    contenders.emplace_back(name, engine, std::move(manager));
    return Ok{};
  };
  SF_TRY(add("native", EngineChoice::kNative, waypoint::WaypointOptions{}.prerestores));
  SF_TRY(add("native, not foreseen", EngineChoice::kNative, 0));
  SF_TRY(add("criu", EngineChoice::kCriu, 0));
  BareCriu bare(criu, directory.path());
  SF_TRY_ASSIGN(Facts facts,
                collect_facts(criu, directory.path(), contenders.front().store->file_layers()));
  Comparison comparison(contenders, bare);
  Table table{
      .title = "Engines, ms: median (minimum) of " + std::to_string(options.rounds),
      .columns = {"tree, engine", "snapshot", "stopped", "restore until an answer", "fork",
                  "image MB"},
      .rows = {},
      .remarks = {facts.date + ", Linux " + facts.kernel + ", " + std::to_string(facts.cpus) +
                      " CPUs, load " + facts.load + ", CRIU " + facts.criu,
                  "bare CRIU: dump of the same tree, left running, and restore of it, "
                  "program start included, files not"}};
  for (const EngineTree& tree : engine_trees()) {
    if (Interruption::requested()) break;
    if (tree.name.find(options.only) == std::string::npos) continue;
    auto rows = comparison.measure(tree, options.rounds);
    if (rows) add_rows(table, tree.name, *rows);
    if (!rows) table.remarks.push_back(tree.name + ": " + rows.error().describe());
  }
  if (!table.rows.empty()) std::fputs(render(table, options.layout).c_str(), stdout);
  if (kForks.find(options.only) == std::string_view::npos || Interruption::requested()) return Ok{};
  SF_TRY_ASSIGN(Table forks, measure_forks(*contenders.front().store));
  std::fputs(("\n" + render(forks, options.layout)).c_str(), stdout);
  return Ok{};
}

}  // namespace
}  // namespace sf::bench

int main(int argc, char** argv) {
  using sf::bench::Options;
  return sf::bench::run_main<Options>(
      "bench_engines", [&] { return sf::bench::parse(argc, argv); }, sf::bench::compare);
}
