// bench_control_daemon: the cost of each verb through each interface. The library, the daemon's API
// and the command line perform the same verbs in turns. For comparison, bare CRIU captures and
// restores the library's tree. No number makes it fail.
//
//   bench_control_daemon [--n N] [--only TEXT] [--markdown] [--dir DIRECTORY]
#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/scope_exit.h"
#include "bench_main.h"
#include "cli/daemon/daemon_start.h"
#include "cli/daemon/program_search.h"
#include "client/api_client.h"
#include "daemon/ways.h"
#include "engine/criu/criu_binary.h"
#include "host_context.h"
#include "os/directory_tree.h"
#include "os/file.h"
#include "os/host_info.h"
#include "os/process.h"
#include "statistics.h"
#include "table.h"
#include "waypoint/bare_criu.h"
#include "waypoint/waypoint.h"

namespace sf::bench {
namespace {

constexpr const char* kUsage =
    "usage: bench_control_daemon [--n N] [--only TEXT] [--markdown] [--dir DIRECTORY]\n"
    "  --n N        rounds per tree (default 15)\n"
    "  --only TEXT  only trees with TEXT in their name\n";
constexpr auto kThought = milliseconds(200);  // idle time before each warm verb
constexpr auto kRest = milliseconds(400);     // between rounds: pools fill up, old trees end
constexpr std::size_t kExecs = 10;            // per round
constexpr std::size_t kForkRounds = 3;        // rounds with many forks
constexpr int kTries = 20;                    // for a snapshot that is declined temporarily

struct Options {
  std::size_t rounds = 15;
  std::string only;
  Layout layout = Layout::kAligned;
  std::string dir = "/var/tmp";
};

Result<Options> parse(int argc, char** argv) {
  Options options;
  std::vector<std::string> words(argv + 1, argv + argc);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool has_value = i + 1 < words.size();
    if (words[i] == "--markdown") {
      options.layout = Layout::kMarkdown;
    } else if (has_value && words[i] == "--only") {
      options.only = words[++i];
    } else if (has_value && words[i] == "--dir") {
      options.dir = words[++i];
    } else if (has_value && words[i] == "--n") {
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

struct ServiceTree {
  std::string name;
  std::string prepare;  // empty: nothing
  std::string touch;    // run before each snapshot, so that no two are equal
};

const char* const kServices = R"(mkdir -p /w && cd /w
await() { local i; for i in {1..300}; do "$@" >/dev/null 2>&1 && return; sleep 0.1; done; false; }
redis-server --port 6379 --bind 127.0.0.1 --save '' --dir /w --daemonize yes >/dev/null
pgbin=$(ls -d /usr/lib/postgresql/*/bin | tail -n 1); install -d -o nobody pg
su nobody -s /bin/bash -c "$pgbin/initdb -D /w/pg/data -A trust -U nobody --no-sync --locale=C >/w/pg/initdb.log 2>&1 &&
$pgbin/pg_ctl -w -D /w/pg/data -l /w/pg/log -o '-k /w/pg -F -c listen_addresses=' start >/dev/null"
export PGHOST=/w/pg PGUSER=nobody PGDATABASE=postgres
echo 'let n = 0; require("http").createServer((q, r) => r.end(`${++n}\n`)).listen(8080, "127.0.0.1")' >n.js
node n.js >/dev/null 2>&1 &
await redis-cli ping && await curl -sf http://127.0.0.1:8080/ && await psql -qAtc 'select 1' &&
redis-cli debug populate 50000 key 512 >/dev/null && psql -qAtc 'create table t(v int)' >/dev/null)";

std::vector<ServiceTree> trees() {
  return {{"idle shell", "", "x=$RANDOM$RANDOM"},
          {"redis + postgres + node", kServices,
           "redis-cli incr n >/dev/null; psql -qAtc 'insert into t values (1)'; "
           "curl -sf http://127.0.0.1:8080/ >/dev/null"}};
}

// In milliseconds, by verb and interface.
using Samples = std::map<std::string, std::map<std::string, std::vector<double>>>;

class Rounds {
 public:
  // `beside`: the branch that bare CRIU captures. It is never precaptured, because a precapture
  // keeps the tree stopped.
  Rounds(const ServiceTree& tree, std::vector<Way*> ways, BareCriu& bare, LibraryWay& beside)
      : tree_(tree), ways_(std::move(ways)), bare_(bare), beside_(beside) {}

  Status run(std::size_t rounds) {
    for (Way* way : ways_) {
      if (!tree_.prepare.empty()) SF_TRY(way->exec(tree_.prepare));
    }
    if (!tree_.prepare.empty()) SF_TRY(beside_.exec(tree_.prepare));
    for (std::size_t i = 0; i <= rounds && !Interruption::requested(); ++i) {
      records_ = i > 0;  // the first round warms up
      for (Way* way : ways_) {
        SF_TRY(execs(*way));
        SF_TRY(round(*way, "warm", kThought));
        SF_TRY(round(*way, "cold", milliseconds(0)));
        if (i <= kForkRounds) SF_TRY(many_forks(*way));
      }
      if (Status bare = bare_round(); !bare) bare_problem_ = bare.error().describe();
    }
    return Ok{};
  }
  const Samples& samples() const { return samples_; }
  const std::string& bare_problem() const { return bare_problem_; }

 private:
  Status timed(const std::string& verb, const std::string& way, double share,
               const std::function<Status()>& call) {
    Stopwatch watch;
    Status done = call();
    if (done && records_)
      samples_[verb][way].push_back(static_cast<double>(watch.elapsed().count()) / 1000 / share);
    return done;
  }

  Status execs(Way& way) {
    for (std::size_t i = 0; i < kExecs; ++i) {
      SF_TRY(timed("exec true", std::string(way.name()), 1, [&] { return way.exec("true"); }));
    }
    return Ok{};
  }

  // Unread data in a terminal or a socket may decline a snapshot, so try again.
  Status snapshot(Way& way, const std::string& verb) {
    for (int i = 1;; ++i) {
      Status taken = timed(verb, std::string(way.name()), 1, [&] { return way.snapshot(); });
      if (taken || i == kTries) return taken;
      std::this_thread::sleep_for(kThought);
    }
  }

  Status round(Way& way, const std::string& kind, milliseconds thought) {
    const std::string name(way.name());
    std::this_thread::sleep_for(kRest);
    SF_TRY(way.exec(tree_.touch));
    std::this_thread::sleep_for(thought);
    SF_TRY(snapshot(way, "snapshot, " + kind));
    std::this_thread::sleep_for(thought);
    Stopwatch until_answer;
    SF_TRY(timed("restore, " + kind, name, 1, [&] { return way.restore(); }));
    SF_TRY(way.exec("true"));
    if (records_)
      samples_["restore until the next answer, " + kind][name].push_back(
          static_cast<double>(until_answer.elapsed().count()) / 1000);
    std::this_thread::sleep_for(thought);
    SF_TRY(timed("fork, " + kind, name, 1, [&] { return way.fork(1); }));
    return way.end_forks();
  }

  Status many_forks(Way& way) {
    for (std::size_t count : {16, 64}) {
      std::this_thread::sleep_for(kRest);
      SF_TRY(timed(std::to_string(count) + " forks, each", std::string(way.name()),
                   static_cast<double>(count), [&] { return way.fork(count); }));
      SF_TRY(way.end_forks());
    }
    return Ok{};
  }

  // The start of CRIU is included, as for its command line.
  Status bare_round() {
    if (!bare_problem_.empty()) return Ok{};
    std::this_thread::sleep_for(kRest);
    SF_TRY_ASSIGN(pid_t keeper, beside_.keeper());
    SF_TRY_ASSIGN(microseconds dumped, bare_.dump(keeper, Launch::kTimed));
    SF_TRY_ASSIGN(BareCriu::Restored restored, bare_.restore(keeper, Launch::kTimed));
    if (!records_) return Ok{};
    for (const char* kind : {"warm", "cold"}) {
      samples_[std::string("snapshot, ") + kind]["bare CRIU"].push_back(
          static_cast<double>(dumped.count()) / 1000);
      samples_[std::string("restore, ") + kind]["bare CRIU"].push_back(
          static_cast<double>(restored.took.count()) / 1000);
    }
    return Ok{};
  }

  const ServiceTree& tree_;
  std::vector<Way*> ways_;
  BareCriu& bare_;
  LibraryWay& beside_;
  Samples samples_;
  std::string bare_problem_;
  bool records_ = false;
};

// Limit of a difference or of a total, in milliseconds.
struct Budget {
  enum class Of { kDaemonMinusLibrary, kCliMinusDaemon, kDaemon };
  Of of;
  double most;
};

std::vector<Budget> budgets(const std::string& verb, const std::string& tree) {
  using enum Budget::Of;
  std::vector<Budget> all;
  if (verb == "exec true") all = {{kDaemonMinusLibrary, 0.5}, {kCliMinusDaemon, 4}};
  if (verb.starts_with("snapshot,") || verb.starts_with("restore,"))
    all = {{kDaemonMinusLibrary, 0.7}};
  if (verb.ends_with("forks, each")) all = {{kDaemon, 2.5}};
  if (verb.starts_with("snapshot,") && tree != "idle shell") all.push_back({kDaemon, 4});
  return all;
}

std::string fixed(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", value);
  return text;
}

class Report {
 public:
  explicit Report(Layout layout) : layout_(layout) {}

  void print(const ServiceTree& tree, const Samples& samples, const std::string& problem) const {
    Table table{.title = tree.name,
                .columns = {"ms, median (p90)", "library", "daemon", "CLI", "bare CRIU",
                            "daemon - library", "budget"}};
    const std::vector<std::string> verbs = {"exec true",
                                            "snapshot, warm",
                                            "snapshot, cold",
                                            "restore, warm",
                                            "restore, cold",
                                            "restore until the next answer, warm",
                                            "restore until the next answer, cold",
                                            "fork, warm",
                                            "fork, cold",
                                            "16 forks, each",
                                            "64 forks, each"};
    for (const std::string& verb : verbs) {
      auto ways = samples.find(verb);
      if (ways == samples.end()) continue;
      std::vector<std::string> row{verb};
      for (const char* way : {"library", "daemon", "CLI", "bare CRIU"}) {
        auto values = ways->second.find(way);
        row.push_back(values == ways->second.end()
                          ? "-"
                          : fixed(median(values->second)) + " (" +
                                fixed(percentile_90(values->second)) + ")");
      }
      row.push_back(fixed(of(ways->second, "daemon") - of(ways->second, "library")));
      row.push_back(verdicts(verb, tree.name, ways->second));
      table.rows.push_back(std::move(row));
    }
    if (!problem.empty()) table.remarks.push_back("bare CRIU: " + problem);
    std::fputs(render(table, layout_).c_str(), stdout);
    std::fflush(stdout);
  }

 private:
  using ByWay = std::map<std::string, std::vector<double>>;

  static double of(const ByWay& ways, const std::string& way) {
    auto found = ways.find(way);
    return found == ways.end() ? 0 : median(found->second);
  }

  static std::string verdicts(const std::string& verb, const std::string& tree, const ByWay& ways) {
    std::string text;
    for (const Budget& budget : budgets(verb, tree)) {
      double value = of(ways, "daemon");
      std::string what = "daemon";
      if (budget.of == Budget::Of::kDaemonMinusLibrary) {
        value -= of(ways, "library");
        what = "difference";
      } else if (budget.of == Budget::Of::kCliMinusDaemon) {
        value = of(ways, "CLI") - value;
        what = "CLI - daemon";
      }
      text += (text.empty() ? "" : "; ") + what + " <= " + fixed(budget.most) +
              (value <= budget.most ? " met" : " MISSED");
    }
    return text;
  }

  Layout layout_;
};

class Bench {
 public:
  Bench(const Options& options, const std::string& dir)
      : options_(options),
        location_{.socket_path = dir + "/s.sock", .state_dir = dir + "/state"},
        client_(location_.socket_path) {}

  Status run(waypoint::Waypoint& manager, BareCriu& bare) {
    SF_TRY(cli::ensure_daemon(location_));
    ScopeExit end([&] { end_daemon(); });
    SF_TRY_ASSIGN(const std::string program, cli::find_program("statefork"));
    for (const ServiceTree& tree : trees()) {
      if (tree.name.find(options_.only) == std::string::npos) continue;
      SF_TRY_ASSIGN(waypoint::BranchId branch, manager.start({}));
      SF_TRY(client_.post("/v1/sessions", {{"name", "daemon"}}));
      SF_TRY(client_.post("/v1/sessions", {{"name", "cli"}}));
      LibraryWay library(manager, branch);
      DaemonWay through_daemon(client_, "daemon");
      CommandLineWay command_line(client_, "cli", program, location_.socket_path);
      SF_TRY_ASSIGN(waypoint::BranchId for_criu,
                    manager.start({.engine = waypoint::EngineChoice::kCriu}));
      LibraryWay beside(manager, for_criu);
      Rounds rounds(tree, {&library, &through_daemon, &command_line}, bare, beside);
      Status measured = rounds.run(options_.rounds);
      Report(options_.layout).print(tree, rounds.samples(), rounds.bare_problem());
      if (!measured) std::printf("stopped: %s\n", measured.error().describe().c_str());
      for (const char* session : {"daemon", "cli"})
        SF_TRY(client_.remove(std::string("/v1/sessions/") + session));
      manager.end_all();
      for (const auto& left : manager.checkpoints()) SF_TRY(manager.remove(left.id));
    }
    return Ok{};
  }

 private:
  void end_daemon() {
    auto health = client_.get("/healthz");
    if (!health) return;
    auto key = os::process_key((*health)["pid"].get<pid_t>());
    if (!key || !os::signal_process(key->pid, SIGTERM)) return;
    for (Deadline patience = Deadline::after(seconds(30));
         os::is_alive(*key) && !patience.passed();)
      std::this_thread::sleep_for(milliseconds(10));
  }

  Options options_;
  cli::DaemonLocation location_;
  client::ApiClient client_;
};

Status run(const Options& options) {
  std::string dir = options.dir + "/bench-daemon-XXXXXX";
  if (::mkdtemp(dir.data()) == nullptr) return invalid("cannot make a directory in " + options.dir);
  ScopeExit remove([&] { (void)os::remove_tree(dir); });
  Result<std::string> load = os::read_file("/proc/loadavg");
  std::printf(
      "Each verb by each way, in turns, n = %zu (execs %zu, many forks %zu). warm: an agent "
      "thought for %lld ms before it; cold: at once. Bare CRIU: program start included, no files.\n"
      "Linux %s, %u CPUs, load %s",
      options.rounds, options.rounds * kExecs, std::min(options.rounds, kForkRounds),
      static_cast<long long>(kThought.count()), os::kernel_release().c_str(),
      std::thread::hardware_concurrency(), load ? load->c_str() : "unknown\n");
  SF_TRY_ASSIGN(std::string criu, waypoint::find_criu(""));
  SF_TRY_ASSIGN(waypoint::Waypoint opened, waypoint::Waypoint::open({.store_dir = dir + "/store"}));
  Store store(std::move(opened));
  SF_TRY(os::make_directories(dir + "/bare"));
  BareCriu bare(criu, dir + "/bare");
  return Bench(options, dir).run(*store, bare);
}

}  // namespace
}  // namespace sf::bench

int main(int argc, char** argv) {
  using sf::bench::Options;
  sf::bench::Interruption interruption;
  return sf::bench::run_main<Options>(
      "bench_control_daemon", [&] { return sf::bench::parse(argc, argv); }, sf::bench::run);
}
