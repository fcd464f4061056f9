// The main use case in a real session with files, shell state and a server that keeps state in
// memory: snapshot, damage, restore, and two concurrent forks. Prints each command, its output and
// the time of each step. Fails if an output is not the expected one.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "os/directory_tree.h"
#include "waypoint/waypoint.h"

namespace {

using sf::Stopwatch;
using namespace sf::waypoint;

// A web server that counts its visitors in memory only, so its reply shows whether the memory was
// restored.
constexpr const char* kServer = R"(cat >/srv/counter.py <<'END'
import http.server
hits = 0
class Counter(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        global hits
        hits += 1
        self.send_response(200)
        self.end_headers()
        self.wfile.write(f"visitor {hits}\n".encode())
    def log_message(self, *words):
        pass
http.server.HTTPServer(("127.0.0.1", 8000), Counter).serve_forever()
END
python3 /srv/counter.py &
until curl -s localhost:8000; do :; done)";

class Demo {
 public:
  explicit Demo(std::string store) : store_(std::move(store)) {}

  int run() {
    say("A branchable terminal over this machine's own root; the host's files do not change.");
    auto opened = Waypoint::open({.store_dir = store_});
    if (!opened) return give_up(opened.error());
    Waypoint wp = std::move(*opened);
    wp_ = &wp;
    int code = play();
    wp.end_all();
    wp_ = nullptr;
    return code;
  }

 private:
  int play() {
    Stopwatch watch;
    auto started = wp_->start({});
    if (!started) return give_up(started.error());
    step("start a live branch", watch);
    BranchId main = *started;

    see(main,
        "mkdir /srv/project && cd /srv/project && echo 'version 1' >notes && git init -q . && ls "
        "-A");
    see(main, "mood=hopeful; greet() { echo \"$mood in $PWD\"; }; greet");
    see(main, kServer, "(a web server that counts its visitors in memory) &");
    see(main, "curl -s localhost:8000");

    watch = {};
    auto here = wp_->checkpoint(main);
    if (!here) return give_up(here.error());
    step("snapshot (the tree was stopped for " + ms(here->stopped) + ")", watch);

    say("Now damage the state:");
    see(main,
        "mood=desperate; unset -f greet; rm -rf /srv/project /etc/ssl; cd /; pkill python3; alias "
        "ls=false");
    see(main,
        "greet; curl -s localhost:8000 || echo 'no server any more'; test -d /srv/project || echo "
        "'no project'");

    watch = {};
    if (auto restored = wp_->restore(main, here->id); !restored) return give_up(restored.error());
    step("restore", watch);
    expect(main, "greet; cat notes; ls -A", "hopeful in /srv/project\nversion 1\n.git  notes\n");
    expect(main, "curl -s localhost:8000", "visitor 3\n");

    watch = {};
    auto forks = wp_->fork(here->id, 2);
    for (const auto& fork : forks) {
      if (!fork) return give_up(fork.error());
    }
    step("fork two more live branches from the snapshot", watch);
    say("Same files, same PIDs, same port 8000; isolated from each other:");
    see(*forks[0], "echo 'from the left' >>notes; for i in 1 2 3; do curl -s localhost:8000; done");
    see(*forks[1], "echo 'from the right' >>notes; curl -s localhost:8000");
    expect(*forks[0], "tail -1 notes; curl -s localhost:8000", "from the left\nvisitor 6\n");
    expect(*forks[1], "tail -1 notes; curl -s localhost:8000", "from the right\nvisitor 4\n");
    expect(main, "cat notes; curl -s localhost:8000", "version 1\nvisitor 4\n");
    expect(main, "test -e /srv/project/notes && echo only here", "only here\n");
    if (::access("/srv/project", F_OK) == 0) return complain("the host has a /srv/project now");
    say(failures_ == 0 ? "All states were restored, and the host is unchanged."
                       : "Some outputs were not as expected.");
    return failures_ == 0 ? 0 : 1;
  }

  static std::string ms(std::chrono::microseconds span) {
    char text[32];
    std::snprintf(text, sizeof text, "%.1f ms", static_cast<double>(span.count()) / 1000);
    return text;
  }

  static void say(const std::string& text) { std::printf("\n%s\n", text.c_str()); }

  static void step(const std::string& what, const Stopwatch& watch) {
    std::printf("\n== %s: %s\n", what.c_str(), ms(watch.elapsed()).c_str());
  }

  std::string see(const BranchId& branch, const std::string& command,
                  const std::string& shown = "") {
    auto result = wp_->exec(branch, {.command = command, .timeout = std::chrono::seconds(60)});
    if (!result) {
      give_up(result.error());
      return {};
    }
    std::printf("%s $ %s\n", branch.value().c_str(), (shown.empty() ? command : shown).c_str());
    std::printf("%s%s", result->output.c_str(),
                result->output.empty() || result->output.back() == '\n' ? "" : "\n");
    return result->output;
  }

  void expect(const BranchId& branch, const std::string& command, const std::string& wanted) {
    if (std::string got = see(branch, command); got != wanted) complain("expected:\n" + wanted);
  }

  int complain(const std::string& text) {
    std::printf("!! %s\n", text.c_str());
    ++failures_;
    return 1;
  }

  int give_up(const sf::Error& error) {
    std::printf("!! %s\n", error.describe().c_str());
    ++failures_;
    return 1;
  }

  std::string store_;
  Waypoint* wp_ = nullptr;
  int failures_ = 0;
};

}  // namespace

int main() {
  std::string pattern = "/var/tmp/statefork-demo.XXXXXX";
  if (::mkdtemp(pattern.data()) == nullptr) {
    std::perror("making a directory below /var/tmp");
    return 1;
  }
  int code = Demo(pattern + "/store").run();
  if (sf::Status removed = sf::os::remove_tree(pattern); !removed) {
    std::printf("!! %s\n", removed.error().describe().c_str());
    code = 1;
  }
  return code;
}
