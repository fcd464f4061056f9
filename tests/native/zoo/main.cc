// resource-zoo: a random tree of processes that hold random kernel resources and check themselves.
//
//   resource-zoo kinds                               names of all kinds of resources
//   resource-zoo plan <seed> <kept> <kinds>          the items of a tree, one per line
//   resource-zoo grow <dir> <seed> <kept> <kinds>    becomes such a tree; writes a byte to
//                                                    the FIFO <dir>/ready once it is complete
//   resource-zoo declined                            names of declined resources, with reasons
//   resource-zoo hold <dir> <name>                   holds a declined resource; reports to ready
//   resource-zoo ask <dir> <request>                 sends a request to every process (node.h)
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "declined.h"
#include "looking.h"
#include "node.h"
#include "plan.h"

namespace zoo {
namespace {

constexpr int kTimeoutMs = 20'000;

int grow(const std::string& dir, std::uint64_t seed, const std::string& kept,
         const std::string& kinds) {
  std::vector<NodePlan> plan = make_plan(seed, kept, kinds);
  Fd ready(must(::open((dir + "/ready").c_str(), O_WRONLY | O_CLOEXEC), dir));
  Node(plan, dir).live(0, std::move(ready));
}

std::string ask_one(const std::string& name, const std::string& request) {
  Fd out(::open((name + ".out").c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  Fd in(::open((name + ".in").c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC));
  if (!in.open() || !out.open()) return name + " process WRONG expected a process got none\n";
  std::string line = request + "\n";
  if (::write(in.get(), line.data(), line.size()) < 0) return name + " process WRONG unwritten\n";
  std::string text;
  while (!text.ends_with("end\n")) {
    pollfd wanted{out.get(), POLLIN, 0};
    if (::poll(&wanted, 1, kTimeoutMs) != 1)
      return text + name + " process WRONG expected an answer got none\n";
    char block[65536];
    ssize_t n = ::read(out.get(), block, sizeof block);
    if (n > 0) text.append(block, static_cast<std::size_t>(n));
    if (n == 0) return text + name + " process WRONG expected a process got none\n";
  }
  return text.substr(0, text.size() - 4);
}

int ask(const std::string& dir, const std::string& request) {
  for (int i = 0; ::access((dir + "/node" + std::to_string(i) + ".in").c_str(), F_OK) == 0; ++i) {
    std::string text = ask_one(dir + "/node" + std::to_string(i), request);
    std::fputs(text.c_str(), stdout);
  }
  return 0;
}

int hold(const std::string& dir, const std::string& name) {
  Fd ready(must(::open((dir + "/ready").c_str(), O_WRONLY | O_CLOEXEC), dir));
  for (const Declined& kind : declined_kinds())
    if (kind.name == name) kind.make(dir + "/held");
  must(::write(ready.get(), "x", 1), "telling that it is ready");
  ready.reset();
  while (true) ::pause();
}

int run(const std::vector<std::string>& words) {
  std::string verb = words.empty() ? "" : words[0];
  if (verb == "kinds") {
    for (const Kind& kind : all_kinds()) std::printf("%s\n", std::string(kind.name).c_str());
    return 0;
  }
  if (verb == "plan" && words.size() == 4) {
    std::fputs(describe(make_plan(std::strtoull(words[1].c_str(), nullptr, 10), words[2], words[3]))
                   .c_str(),
               stdout);
    return 0;
  }
  if (verb == "grow" && words.size() == 5)
    return grow(words[1], std::strtoull(words[2].c_str(), nullptr, 10), words[3], words[4]);
  if (verb == "declined") {
    for (const Declined& kind : declined_kinds())
      std::printf("%s\t%s\n", std::string(kind.name).c_str(), std::string(kind.reason).c_str());
    return 0;
  }
  if (verb == "hold" && words.size() == 3) return hold(words[1], words[2]);
  if (verb == "ask" && words.size() == 3) return ask(words[1], words[2]);
  std::fputs(
      "resource-zoo kinds | plan | grow | declined | hold | ask: see the head of its main.cc\n",
      stderr);
  return 2;
}

}  // namespace
}  // namespace zoo

int main(int count, char** words) { return zoo::run({words + 1, words + count}); }
