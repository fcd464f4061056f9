#include "trees.h"

namespace sf::bench {
namespace {

// Random bytes, because the kernel and CRIU treat zero pages specially.
std::string python_holding(std::size_t megabytes) {
  return "python3 -c 'import os, time; held = os.urandom(" + std::to_string(megabytes) +
         " << 20); open(\"/tmp/held\", \"w\").close(); time.sleep(1e6)' & "
         "until [ -e /tmp/held ]; do sleep 0.05; done";
}

std::string sleepers(std::size_t count) {
  return "for i in $(seq " + std::to_string(count) + "); do sleep 1000000 & done; sleep 0.2";
}

}  // namespace

std::vector<Tree> all_trees() {
  return {
      {.name = "idle shell", .prepare = ""},
      {.name = "+ 64 MB of memory", .prepare = python_holding(64)},
      {.name = "+ 256 MB of memory", .prepare = python_holding(256)},
      {.name = "+ 1 process", .prepare = sleepers(1)},
      {.name = "+ 10 processes", .prepare = sleepers(10)},
      {.name = "+ 30 processes", .prepare = sleepers(30)},
      {.name = "+ 64 MB of files, settled",
       .prepare = "",
       .files = Files::kSettled,
       .megabytes = 64},
      {.name = "+ 1024 MB of files, settled",
       .prepare = "",
       .files = Files::kSettled,
       .megabytes = 1024},
      {.name = "+ 64 MB of files, just written",
       .prepare = "",
       .files = Files::kJustWritten,
       .megabytes = 64},
      {.name = "+ 1024 MB of files, just written",
       .prepare = "",
       .files = Files::kJustWritten,
       .megabytes = 1024},
  };
}

std::string write_command(const Tree& tree) {
  return "rm -f /root/data && dd if=/dev/zero of=/root/data bs=1M count=" +
         std::to_string(tree.megabytes) + " status=none";
}

}  // namespace sf::bench
