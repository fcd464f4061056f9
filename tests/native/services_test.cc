// Redis, PostgreSQL, tmux, Node.js and Python under load in one session, checkpointed and restored
// repeatedly: every reply matches its node and no resource grows. SF_CYCLES sets the number of
// cycles.
#include <gmock/gmock.h>

#include <cstdio>
#include <cstdlib>
#include <deque>
#include <random>

#include "../commands/fixture.h"
#include "footprint.h"
#include "os/file.h"

namespace sf::waypoint {
namespace {

constexpr std::uint64_t kMegabyte = 1U << 20U;
constexpr std::size_t kNodes = 4;  // older ones are removed
constexpr int kTries = 40;         // attempts to read a terminal, and similar
constexpr int kWarmUp = 10;        // cycles until all caches are filled
constexpr std::size_t kMore = 3;   // tolerated variation in the number of keepers

// Node.js collects garbage only now and then. Without a limit its memory would double after some
// thousand requests, and so would every image.
const char* const kServices = R"(mkdir -p /w && cd /w && export PAGER=cat TMUX_TMPDIR=/w
await() { local i; for i in {1..300}; do "$@" > /dev/null 2>&1 && return; sleep 0.1; done; echo "never: $*"; false; }
redis-server --port 6379 --bind 127.0.0.1 --save '' --dir /w --daemonize yes > /dev/null
pgbin=$(ls -d /usr/lib/postgresql/*/bin | tail -n 1); install -d -o nobody pg
su nobody -s /bin/bash -c "$pgbin/initdb -D /w/pg/data -A trust -U nobody --no-sync --locale=C > /w/pg/initdb.log 2>&1 &&
$pgbin/pg_ctl -w -D /w/pg/data -l /w/pg/log -o '-k /w/pg -F -c listen_addresses=' start > /dev/null"
export PGHOST=/w/pg PGUSER=nobody PGDATABASE=postgres
cat > counter.js <<'END'
let count = 0;
require("http").createServer((request, response) => {
  if (request.url === "/add") count++;
  if (count % 50 === 0) gc();
  response.end(`${count}\n`);
}).listen(8080, "127.0.0.1");
END
node --expose-gc counter.js > /dev/null 2>&1 &
mkfifo py.in py.out sql.in sql.out; exec 3<>sql.in 4<>sql.out 5<>py.in 6<>py.out
/usr/bin/python3 -q -i -u < py.in > py.out 2> /dev/null &
psql -qAt < sql.in > sql.out 2>&1 &
tmux -f /dev/null new-session -d -s work -x 80 -y 24 'exec bash --norc --noprofile'
await redis-cli ping && await curl -sf http://127.0.0.1:8080/ && await psql -qAtc 'select 1'
exec 7<>/dev/tcp/127.0.0.1/6379
http() { exec 8<>/dev/tcp/127.0.0.1/8080; printf 'GET %s HTTP/1.0\r\n\r\n' "$1" >&8; node=$(tail -n 1 <&8); exec 8<&-; }
redis() { printf '%s\r\n' "$1" >&7; read -r -t 20 redis <&7; redis=${redis//[!0-9]/}; }
pane() { pane=$(tmux capture-pane -p -t work | grep '^pane ' | tail -n 1); pane=${pane#pane }; }
python() { echo "$1" >&5; read -r -t 20 python <&6; }
sql() { echo "$1" >&3; read -r -t 20 sql <&4; }
tell() { echo "redis $redis node $node python $python sql $sql pane $pane"; }
look() { printf 'GET n\r\n' >&7; read -r -t 20 _ <&7; read -r -t 20 redis <&7; redis=${redis//[!0-9]/}
  http /; python 'print(n)'; sql 'select count(*) from t;'; pane; tell; }
work() { local i; redis 'INCR n'; http /add; python 'n += 1; print(n)'
  sql 'insert into t select count(*) from t; select count(*) from t;'
  tmux send-keys -t work 'echo pane $((++n))' Enter
  for i in {1..400}; do pane; [[ $pane = "$redis" ]] && break; done; tell; }
echo 'n = 0' >&5; echo 'create table t(v int);' >&3)";

std::string all_at(unsigned long count) {
  std::string n = std::to_string(count);
  return "redis " + n + " node " + n + " python " + n + " sql " + n + " pane " + n + "\n";
}

class ServicesTest : public CommandsTest {
 protected:
  struct Node {
    CheckpointId id;
    unsigned long count;
  };

  void begin() {
    BranchConfig config;
    config.engine = EngineChoice::kNative;
    if (const char* root = std::getenv("STATEFORK_FULL_ROOT")) config.root = root;
    branch_ = start(config);
    const std::string said = output(kServices);
    ASSERT_EQ(said.find("never"), std::string::npos) << said;
  }

  // Unread input of a terminal makes the engine decline; it is read soon, so try again.
  Result<CheckpointInfo> snapshot() {
    for (int i = 1;; ++i) {
      auto taken = wp_->checkpoint(branch_);
      if (taken || taken.error().code != ErrorCode::kUnsupported || i == kTries) return taken;
      ++declined_;
      last_reason_ = taken.error().message;
    }
  }

  Footprint measure() {
    EXPECT_TRUE(wp_->end(wp_->fork(nodes_.back().id, 1).front().value()).ok());  // settles the pool
    auto now = footprint_of(dir_.path() + "/store", keepers_, wp_->changed_files(branch_).value());
    EXPECT_TRUE(now.ok()) << (now ? "" : now.error().describe());
    return now ? *now : Footprint{};
  }

  void note_keepers() {
    auto names = os::list_directory(dir_.path() + "/store/keepers");
    for (const std::string& name : names ? *names : std::vector<std::string>())
      if (keepers_.insert(name).second) leaks_.add_mark(name);
  }

  std::set<std::string> keepers_;  // names of their cgroups
  std::deque<Node> nodes_;
  std::mt19937 random_{7};
  unsigned long declined_ = 0;
  std::string last_reason_;
};

TEST_F(ServicesTest, BusyServicesMatchTheirNodesAndNoResourceGrows) {
  const char* wanted = std::getenv("SF_CYCLES");
  const int cycles = wanted != nullptr ? std::atoi(wanted) : 25;
  begin();
  ASSERT_FALSE(HasFailure());
  Footprint before;
  unsigned long count = 0;
  Stopwatch watch;
  for (int cycle = 0; cycle < cycles; ++cycle) {
    SCOPED_TRACE("cycle " + std::to_string(cycle));
    ++count;
    ASSERT_EQ(output("work"), all_at(count));
    auto taken = snapshot();
    ASSERT_TRUE(taken.ok()) << taken.error().describe();
    nodes_.push_back({taken->id, count});
    if (nodes_.size() > kNodes) {
      ASSERT_OK(wp_->remove(nodes_.front().id));
      nodes_.pop_front();
    }
    ASSERT_EQ(output("work"), all_at(count + 1)) << "after the snapshot";
    const Node& back = nodes_[random_() % nodes_.size()];
    ASSERT_OK(wp_->restore(branch_, back.id));
    count = back.count;
    ASSERT_EQ(output("look"), all_at(count)) << "after the restore";
    note_keepers();
    if (cycle == kWarmUp) before = measure();
    if (cycle % 100 != 99) continue;
    std::printf("cycle %d, %.1f s, %lu declined: %s\n", cycle + 1,
                static_cast<double>(watch.elapsed().count()) / 1e6, declined_,
                to_line(measure()).c_str());
    std::fflush(stdout);
  }
  const Footprint after = measure();
  std::printf("%d cycles, %.1f s, %lu declined (%s)\nat first: %s\nat last:  %s\n", cycles,
              static_cast<double>(watch.elapsed().count()) / 1e6, declined_, last_reason_.c_str(),
              to_line(before).c_str(), to_line(after).c_str());
  EXPECT_LT(after.manager_memory, before.manager_memory + 16 * kMegabyte);
  EXPECT_LT(after.keeper_memory, before.keeper_memory + 32 * kMegabyte);
  // Two trees may be prerestored, one keeper may be ending; PostgreSQL's workers come and go.
  EXPECT_LE(after.keepers, before.keepers + kMore);
  EXPECT_LE(after.manager_descriptors, before.manager_descriptors + 2 * kMore);
  EXPECT_LE(after.keeper_descriptors, before.keeper_descriptors + 16 * kMore);
  EXPECT_LE(after.processes, before.processes + 16 * kMore);
  EXPECT_LE(after.namespaces, before.namespaces + 6 * kMore);
  EXPECT_LE(after.cgroups, before.cgroups + 8 * kMore);
  EXPECT_EQ(after.mounts, before.mounts);
  EXPECT_LT(after.images, before.images + 64 * kMegabyte);
  EXPECT_LT(after.files, before.files + 64 * kMegabyte);
}

}  // namespace
}  // namespace sf::waypoint
