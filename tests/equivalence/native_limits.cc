#include "native_limits.h"

namespace sf::equivalence {

std::vector<Limit> native_limits() {
  return {
      {{.name = "FileOfAProcess",
        .prepare = {"exec 5</proc/1/comm"},
        .probe = {"readlink /proc/$$/fd/5"},
        .expect = "/proc/1/comm"},
       "it is a /proc file of a process"},
      {{.name = "MessageQueueWithAListener",
        .prepare = {"stateful start posix-queue-listener /w/state"},
        .probe = {"stateful ask /w/state"},
        .expect = "status"},
       "a process is registered for mq_notify()"},
      {{.name = "SemaphoresToUndo",
        .prepare = {"stateful start semaphores-to-undo /w/state"},
        .probe = {"stateful ask /w/state"},
        .expect = "value"},
       "the kernel does not show the adjustments"},
      {{.name = "TcpNotAcceptedWithData",
        .prepare = {"stateful start tcp-not-accepted-with-data /w/state"},
        .probe = {"stateful ask /w/state"},
        .expect = "ready"},
       "it has unaccepted connections that have sent data"},
      {{.name = "RawSocket",
        .prepare = {"stateful start raw-socket /w/state"},
        .probe = {"stateful ask /w/state"},
        .expect = "kind"},
       "the native engine does not support this kind of socket"},
      {{.name = "PacketSocket",
        .prepare = {"stateful start packet-socket /w/state"},
        .probe = {"stateful ask /w/state"},
        .expect = "kind"},
       "the native engine supports only internet, Unix and netlink sockets"},
      {{.name = "NestedNamespace",
        .prepare = {"unshare --user sleep 1000 & n=$!",
                    "wait-for sh -c '[ $(readlink /proc/$0/ns/user) != $(readlink "
                    "/proc/self/ns/user) ]' $n"},
        .probe = {"kill -0 $n && cat /proc/$n/comm"},
        .expect = "sleep"},
       "nested namespaces cannot be captured"},
  };
}

}  // namespace sf::equivalence
