// bench_control_daemon: what the way through the daemon costs on top of the shell. The same command
// is run straight on the substrate, through the daemon's API, and by the command line, in turns.
//
//   bench_control_daemon [--rounds N] [--dir DIRECTORY]
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <thread>

#include "bench_main.h"
#include "cli/daemon_start.h"
#include "client/api_client.h"
#include "control/latencies.h"
#include "os/file.h"
#include "os/host_info.h"
#include "os/process.h"
#include "os/run_program.h"
#include "os/tree.h"
#include "waypoint/waypoint.h"

namespace sf::bench {
namespace {

constexpr const char* kUsage = "usage: bench_control_daemon [--rounds N] [--dir DIRECTORY]\n";
constexpr double kBudgetUs = 2000;

struct Options {
  int rounds = 500;
  std::string dir = "/var/tmp";
};

Result<Options> parse(int argc, char** argv) {
  Options options;
  std::vector<std::string> words(argv + 1, argv + argc);
  for (std::size_t i = 0; i + 1 < words.size(); i += 2) {
    if (words[i] == "--dir") {
      options.dir = words[i + 1];
    } else if (words[i] == "--rounds") {
      options.rounds = std::atoi(words[i + 1].c_str());
    } else {
      return invalid("what is " + words[i] + "?\n" + kUsage);
    }
  }
  if (words.size() % 2 != 0 || options.rounds < 10) return invalid(kUsage);
  return options;
}

// A daemon and a store of their own, gone at the end.
class Bench {
 public:
  Bench(const Options& options, std::string dir)
      : options_(options),
        dir_(std::move(dir)),
        place_{.socket_path = dir_ + "/s.sock", .state_dir = dir_ + "/state"},
        client_(place_.socket_path) {}

  Status run() {
    SF_TRY_ASSIGN(waypoint::Waypoint direct,
                  waypoint::Waypoint::open({.store_dir = dir_ + "/store"}));
    SF_TRY_ASSIGN(waypoint::BranchId branch, direct.start({}));
    SF_TRY(cli::ensure_daemon(place_));
    Status measured = measure(direct, branch);
    end_daemon();
    direct.end_all();
    SF_TRY(measured);
    print();
    return Ok{};
  }

 private:
  Status measure(waypoint::Waypoint& direct, const waypoint::BranchId& branch) {
    SF_TRY(client_.post("/v1/sessions", {{"name", "bench"}}));
    const std::string path = "/v1/sessions/bench/branches/main/exec";
    SF_TRY_ASSIGN(std::string daemon, cli::daemon_program());
    const std::string program = daemon.substr(0, daemon.rfind('/')) + "/statefork";
    for (int i = 0; i < options_.rounds; ++i) {
      SF_TRY(latencies_.measure("on the substrate alone",
                                [&] { return direct.exec(branch, {.command = "true"}); }));
      SF_TRY(latencies_.measure("through the daemon", [&] {
        return client_.post(path, {{"command", "true"}});
      }));
      if (i % 10 != 0) continue;
      SF_TRY(latencies_.measure("statefork exec, a process each", [&] {
        return os::run_program(
            {program, "exec", "bench", "--socket", place_.socket_path, "--", "true"},
            Deadline::after(seconds(60)));
      }));
    }
    SF_TRY(client_.remove("/v1/sessions/bench"));
    return Ok{};
  }

  void end_daemon() {
    auto health = client_.get("/healthz");
    if (health) (void)os::signal_process((*health)["pid"].get<pid_t>(), SIGTERM);
  }

  void print() const {
    double shell = spread_of(latencies_.values().at("on the substrate alone")).median_us;
    std::printf("  %-32s %6s %10s %10s %12s  added <= %.0f us\n", "exec true", "n", "median us",
                "p99 us", "added us", kBudgetUs);
    for (const auto& [what, values] : latencies_.values()) {
      Spread spread = spread_of(values);
      double added = spread.median_us - shell;
      std::printf("  %-32s %6zu %10.1f %10.1f %12.1f  %s\n", what.c_str(), spread.count,
                  spread.median_us, spread.p99_us, added,
                  what != "through the daemon" ? ""
                  : added <= kBudgetUs         ? "PASS"
                                               : "MISSED");
    }
  }

  Options options_;
  std::string dir_;
  cli::DaemonPlace place_;
  client::ApiClient client_;
  Latencies latencies_;
};

Status run(const Options& options) {
  std::string dir = options.dir + "/bench-daemon-XXXXXX";
  if (::mkdtemp(dir.data()) == nullptr) return invalid("cannot make a directory in " + options.dir);
  Result<std::string> load = os::read_file("/proc/loadavg");
  std::printf(
      "`exec true`, the same shell each time, the ways in turns\nLinux %s, %u CPUs, load %s",
      os::kernel_release().c_str(), std::thread::hardware_concurrency(),
      load ? load->c_str() : "unknown\n");
  Status done = Bench(options, dir).run();
  (void)os::remove_tree(dir);
  return done;
}

}  // namespace
}  // namespace sf::bench

int main(int argc, char** argv) {
  using sf::bench::Options;
  return sf::bench::run_main<Options>(
      "bench_control_daemon", [&] { return sf::bench::parse(argc, argv); }, sf::bench::run);
}
