// One scenario per feature of tests/programs.
#include <iterator>

#include "scenario.h"

namespace sf::equivalence {
namespace {

constexpr FeatureRow kRows[] = {
    {"Threads", "threads"},
    {"AnonymousMemory", "anonymous-memory"},
    {"SharedAnonymousMemory", "shared-anonymous-memory"},
    {"MemoryFile", "memfd"},
    {"PosixSharedMemory", "posix-shared-memory"},
    {"SharedFileMapping", "shared-file-mapping"},
    {"SysvSharedMemory", "sysv-shared-memory"},
    {"SysvSemaphores", "sysv-semaphores"},
    {"SysvMessages", "sysv-messages"},
    {"PipeWithUnreadData", "pipe-with-unread-data"},
    {"PipeWithoutWriter", "pipe-without-writer"},
    {"NamedPipe", "named-pipe"},
    {"UnlinkedFile", "unlinked-file"},
    {"FileOpenByARemovedName", "file-open-by-a-removed-name"},
    {"DeletedWorkingDirectory", "deleted-working-directory"},
    {"AppendingDescriptor", "appending-descriptor"},
    {"DescriptorFlags", "descriptor-flags"},
    {"SharedOffset", "shared-offset"},
    {"EventDescriptor", "eventfd"},
    {"TimerDescriptor", "timerfd"},
    {"SignalDescriptor", "signalfd"},
    {"Epoll", "epoll"},
    {"InotifyDirectory", "inotify-directory"},
    {"InotifyFiles", "inotify-files"},
    {"Socketpair", "socketpair"},
    {"UnixStreamWithPath", "unix-stream-path"},
    {"UnixStreamAbstract", "unix-stream-abstract"},
    {"UnixDatagramWithPath", "unix-datagram-path"},
    {"UnixDatagramAbstract", "unix-datagram-abstract"},
    {"TcpEstablished", "tcp-established"},
    {"TcpWithUnreadData", "tcp-with-unread-data"},
    {"TcpWithUnsentData", "tcp-with-unsent-data", Asking::kOnce},
    {"TcpHalfClosed", "tcp-half-closed"},
    {"Udp", "udp"},
    {"Flock", "flock"},
    {"PosixLock", "posix-lock"},
    {"OfdLock", "ofd-lock"},
    {"Zombies", "zombies"},
    {"Signals", "signals"},
    {"QueuedSignals", "queued-signals"},
    {"PosixTimers", "posix-timers"},
    {"IntervalTimers", "interval-timers"},
    {"AnotherUser", "another-user"},
    {"Limits", "limits"},
    {"Family", "family"},
};

}  // namespace

std::vector<Scenario> kernel_scenarios() { return feature_scenarios(kRows); }

}  // namespace sf::equivalence
