// bench_control: the cost of StateFork's bookkeeping in a session with many nodes. The backend is a
// fake in memory, the catalog a real file. No number makes it fail.
//
//   bench_control [--nodes N] [--rounds N] [--dir DIRECTORY]
#include <sys/stat.h>

#include <charconv>
#include <cstdio>
#include <random>
#include <thread>

#include "bench_main.h"
#include "control/node_ref.h"
#include "control/policy_names.h"
#include "control/restore_plan.h"
#include "control/session_manager.h"
#include "latencies.h"
#include "os/directory_tree.h"
#include "os/file.h"
#include "os/host_info.h"
#include "store/sqlite_catalog.h"
#include "testing/fake_backend.h"
#include "timed_catalog.h"

namespace sf::bench {
namespace {

using namespace control;  // NOLINT: the only namespace of this file

constexpr const char* kUsage =
    "usage: bench_control [--nodes N] [--rounds N] [--dir DIRECTORY]\n"
    "  --nodes N   nodes of the session (default 100000)\n"
    "  --rounds N  measured calls of each kind (default 2000)\n"
    "  --dir D     directory for the temporary catalog (default /var/tmp)\n";
constexpr double kBudgetUs = 300;
constexpr std::size_t kFewest = 10;  // with fewer calls, the median is meaningless
constexpr int kPhysicalEvery = 16;

const BranchId kMain{"main"};

struct Options {
  int nodes = 100'000;
  int rounds = 2000;
  std::string dir = "/var/tmp";
};

Result<Options> parse(int argc, char** argv) {
  Options options;
  std::vector<std::string> words(argv + 1, argv + argc);
  for (std::size_t i = 0; i < words.size(); i += 2) {
    const std::string& word = words[i];
    if (i + 1 == words.size() || (word != "--nodes" && word != "--rounds" && word != "--dir"))
      return invalid("unknown argument " + word + "\n" + kUsage);
    const std::string& value = words[i + 1];
    if (word == "--dir") {
      options.dir = value;
      continue;
    }
    int& number = word == "--nodes" ? options.nodes : options.rounds;
    auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error != std::errc() || *end != '\0' || number < 1)
      return invalid(word + " takes a number, not " + value);
  }
  return options;
}

// The parts of the session and their measurements.
class Bench {
 public:
  Bench(const Options& options, std::string path)
      : options_(options), path_(std::move(path)), random_(1) {}

  Status run() {
    SF_TRY_ASSIGN(catalog_, store::SqliteCatalog::open(path_));
    TimedCatalog timed(*catalog_, latencies_);
    SF_TRY_ASSIGN(policy_, make_policy("lazy", CostModel()));
    SessionPorts ports{backend_, timed, *policy_, [] {
                         return std::chrono::floor<microseconds>(std::chrono::system_clock::now());
                       }};
    SF_TRY_ASSIGN(session_, SessionManager::build_session(ports, {.id = SessionId("s1")}));
    SF_TRY(grow());
    print("while the session grew to " + std::to_string(options_.nodes) + " nodes");
    latencies_.forget();
    SF_TRY(measure_commands());
    SF_TRY(measure_nodes());
    print("at " + std::to_string(options_.nodes) + " nodes");
    session_.reset();
    return measure_start();
  }

 private:
  // Makes a chain of commands and snapshots, and restores an earlier node from time to time.
  Status grow() {
    for (int i = 1; i < options_.nodes; ++i) {
      SF_TRY(exec(i));
      SF_TRY(snapshot(i % kPhysicalEvery == 0 ? Materialization::kPhysical
                                              : Materialization::kVirtual));
      if (i % 64 == 0) SF_TRY(restore(physical_node(i)));
    }
    return Ok{};
  }
  Status measure_commands() {
    for (int i = 0; i < options_.rounds; ++i) {
      SF_TRY(exec(i));
      SF_TRY(snapshot(i % 2 == 0 ? Materialization::kPhysical : Materialization::kVirtual));
    }
    for (int i = 0; i < options_.rounds; ++i) SF_TRY(restore(physical_node(options_.nodes - 1)));
    return Ok{};
  }
  Status measure_nodes() {
    for (int i = 0; i < options_.rounds; ++i) {
      const std::string id =
          "n" + std::to_string(random_() % static_cast<unsigned>(options_.nodes));
      SF_TRY(latencies_.measure("resolve an id", [&] { return session_->resolve_ref(kMain, id); }));
      SF_TRY(latencies_.measure("resolve HEAD~4",
                                [&] { return session_->resolve_ref(kMain, "HEAD~4"); }));
      SF_TRY(latencies_.measure("restore plan", [&] {
        return session_->read(
            [&](const BranchTree& tree) { return plan_restore(tree, NodeId(id)); });
      }));
      SF_TRY(latencies_.measure("set_note",
                                [&] { return session_->set_note(kMain, id, "tried", "yes"); }));
      SF_TRY_ASSIGN(ForkReport fork, latencies_.measure("fork of one", [&] {
        return session_->fork(kMain, "n0", {});
      }));
      SF_TRY_ASSIGN(BranchId branch, std::move(fork.branches.front()));
      SF_TRY(latencies_.measure("end_branch", [&] { return session_->end_branch(branch); }));
    }
    for (int i = 0; i < options_.rounds; ++i) {
      SF_TRY(session_->restore(kMain, "n0"));
      SF_TRY_ASSIGN(SnapshotReport leaf,
                    session_->snapshot(kMain, {.wanted = Materialization::kVirtual}));
      SF_TRY(session_->restore(kMain, "n0"));
      SF_TRY(latencies_.measure("cleanup of a leaf", [&] {
        return session_->cleanup(kMain, leaf.node.value(), Force::kNo);
      }));
    }
    return Ok{};
  }
  Status measure_start() {
    catalog_.reset();
    struct stat info {};
    ::stat(path_.c_str(), &info);
    Stopwatch opening;
    SF_TRY_ASSIGN(catalog_, store::SqliteCatalog::open(path_));
    double opened = static_cast<double>(opening.elapsed().count()) / 1e6;
    Stopwatch loading;
    SF_TRY_ASSIGN(std::vector<SessionImage> images, catalog_->load_all());
    double loaded = static_cast<double>(loading.elapsed().count()) / 1e6;
    SF_TRY_ASSIGN(Inventory inventory, backend_.inventory());
    Stopwatch reopening;
    SessionPorts ports{backend_, *catalog_, *policy_, [] { return WallTime(); }};
    SF_TRY(SessionManager::reopen(ports, std::move(images.front()), inventory));
    double reopened = static_cast<double>(reopening.elapsed().count()) / 1e6;
    std::printf(
        "start-up: catalog of %.1f MB checked and opened in %.2f s, loaded in %.2f s, "
        "session made of it in %.2f s\n",
        static_cast<double>(info.st_size) / 1e6, opened, loaded, reopened);
    return Ok{};
  }

  Status exec(int i) {
    const std::string command = "set v" + std::to_string(i % 4) + " " + std::to_string(i);
    SF_TRY(latencies_.measure("exec_command",
                              [&] { return session_->exec_command(kMain, {.command = command}); }));
    return Ok{};
  }
  Status snapshot(Materialization kind) {
    SF_TRY(latencies_.measure("snapshot, " + std::string(to_string(kind)),
                              [&] { return session_->snapshot(kMain, {.wanted = kind}); }));
    return Ok{};
  }
  Status restore(const std::string& node) {
    SF_TRY(latencies_.measure("restore of a physical node",
                              [&] { return session_->restore(kMain, node); }));
    return Ok{};
  }
  std::string physical_node(int below) {
    int most = std::max(below / kPhysicalEvery, 1);
    return "n" + std::to_string(static_cast<int>(random_() % static_cast<unsigned>(most)) *
                                kPhysicalEvery);
  }

  void print(const std::string& when) const {
    std::printf("%s\n  %-30s %8s %10s %10s %10s  median <= %.0f us\n", when.c_str(), "call", "n",
                "median us", "p99 us", "max us", kBudgetUs);
    for (const auto& [what, values] : latencies_.values()) {
      Spread spread = spread_of(values);
      const char* verdict = spread.median_us <= kBudgetUs ? "PASS" : "MISSED";
      if (spread.count < kFewest) verdict = "too few";
      std::printf("  %-30s %8zu %10.1f %10.1f %10.1f  %s\n", what.c_str(), spread.count,
                  spread.median_us, spread.p99_us, spread.max_us, verdict);
    }
    std::fflush(stdout);
  }

  Options options_;
  std::string path_;
  std::mt19937 random_;
  Latencies latencies_;
  test::FakeBackend backend_;
  std::unique_ptr<store::SqliteCatalog> catalog_;
  std::unique_ptr<MaterializationPolicy> policy_;
  std::unique_ptr<SessionManager> session_;
};

Status run(const Options& options) {
  std::string dir = options.dir + "/bench-control-XXXXXX";
  if (::mkdtemp(dir.data()) == nullptr) return invalid("cannot make a directory in " + options.dir);
  SF_TRY_ASSIGN(os::DirectoryFacts facts, os::look_at_directory(dir));
  Result<std::string> load = os::read_file("/proc/loadavg");
  std::printf(
      "control plane: SessionManager over a fake backend in memory, catalog in SQLite on %s\n"
      "Linux %s, %u CPUs, load %s"
      "each number: the whole call, append included; `append ...`: the catalog's part of it\n",
      facts.file_system.c_str(), os::kernel_release().c_str(), std::thread::hardware_concurrency(),
      load ? load->c_str() : "unknown\n");
  Status done = Bench(options, dir + "/catalog.sqlite").run();
  if (auto removed = os::remove_tree(dir); !removed)
    std::fprintf(stderr, "bench_control: %s\n", removed.error().describe().c_str());
  return done;
}

}  // namespace
}  // namespace sf::bench

int main(int argc, char** argv) {
  using sf::bench::Options;
  return sf::bench::run_main<Options>(
      "bench_control", [&] { return sf::bench::parse(argc, argv); }, sf::bench::run);
}
