#include "native_limits.h"

namespace sf::equivalence {

std::vector<Limit> native_limits() {
  return {
      {{.name = "FileOfAProcess",
        .prepare = {"exec 5</proc/1/comm"},
        .probe = {"readlink /proc/$$/fd/5"},
        .expect = "/proc/1/comm"},
       "it looks into a process"},
      {{.name = "MessageQueueWithAListener",
        .prepare = {"stateful start posix-queue-listener /w/state"},
        .probe = {"stateful ask /w/state"},
        .expect = "status"},
       "somebody is to be told of its next message"},
      {{.name = "NestedNamespace",
        .prepare = {"unshare --user sleep 1000 & n=$!",
                    "wait-for test $(readlink /proc/$n/ns/user) != $(readlink /proc/$$/ns/user)"},
        .probe = {"kill -0 $n && cat /proc/$n/comm"},
        .expect = "sleep"},
       "nested namespaces cannot be captured"},
  };
}

}  // namespace sf::equivalence
