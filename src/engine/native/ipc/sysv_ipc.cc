#include "engine/native/ipc/sysv_ipc.h"

#include <fcntl.h>
#include <linux/kcmp.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "base/scope_exit.h"
#include "engine/native/facts.h"
#include "os/error.h"
#include "os/file.h"

namespace sf::waypoint::native {
namespace {

constexpr unsigned kAllAccess = 0777;
constexpr std::size_t kPage = 4096;
constexpr std::size_t kMaxLetter = 1U << 20U;
constexpr int kStatAny = 15;     // SHM_STAT_ANY
constexpr int kSemStatAny = 20;  // SEM_STAT_ANY
constexpr int kMsgStatAny = 13;  // MSG_STAT_ANY
constexpr int kCopy = 040000;    // MSG_COPY

union SemaphoreArgument {
  int value;
  semid_ds* state;
  unsigned short* values;
  seminfo* info;
};

template <typename State>
IpcObject describe(int id, const State& state) {
  const ipc_perm& perm = state;
  return {id, perm.__key, perm.mode, perm.uid, perm.gid, perm.cuid, perm.cgid};
}

// The highest index in use. Negative: there are no objects.
int last_segment() {
  shm_info info{};
  int last = ::shmctl(0, SHM_INFO, reinterpret_cast<shmid_ds*>(&info));
  return info.used_ids == 0 ? -1 : last;
}
int last_semaphores() {
  seminfo info{};
  SemaphoreArgument argument{};
  argument.info = &info;
  int last = ::semctl(0, 0, SEM_INFO, argument);
  return info.semusz == 0 ? -1 : last;
}
int last_queue() {
  msginfo info{};
  int last = ::msgctl(0, MSG_INFO, reinterpret_cast<msqid_ds*>(&info));
  return info.msgpool == 0 ? -1 : last;
}

bool is_attachment(const MappingText& mapping, int id) {
  return mapping.name.starts_with("/SYSV") && mapping.inode == static_cast<std::uint64_t>(id);
}

// True if the process has a SEM_UNDO list; init never has one. A process with threads always has
// one, so it is not examined.
bool has_undo(const ProcessFacts& init, const ProcessFacts& process) {
  return !process.ended() && process.threads.size() == 1 &&
         ::syscall(SYS_kcmp, init.pid, process.pid, KCMP_SYSVSEM, 0, 0) > 0;
}

// Opens the segment's content through a process that has it attached.
Result<os::UniqueFd> content_of(const TreeFacts& facts, int id) {
  for (const ProcessFacts& process : facts.processes) {
    for (const MappingText& mapping : process.mappings) {
      if (!is_attachment(mapping, id)) continue;
      char range[40];
      std::snprintf(range, sizeof range, "%lx-%lx", mapping.start, mapping.end);
      return os::open_file("/proc/" + std::to_string(process.pid) + "/map_files/" + range,
                           O_RDONLY);
    }
  }
  return fail(ErrorCode::kNotFound, "no process has it attached");
}

Status capture_content(const TreeFacts& facts, SegmentImage& segment, PagesWriter& pages) {
  if (auto file = content_of(facts, segment.object.id))
    return pages.append_file(file->get(), segment.size, segment.extents);
  void* at = ::shmat(segment.object.id, nullptr, SHM_RDONLY);
  if (at == MAP_FAILED) return os::last_error("attaching shared memory");
  ScopeExit detach([&] { ::shmdt(at); });
  char range[40];
  auto start = reinterpret_cast<std::uint64_t>(at);
  std::snprintf(range, sizeof range, "%lx-%lx", start,
                start + (segment.size + kPage - 1) / kPage * kPage);
  SF_TRY_ASSIGN(os::UniqueFd file,
                os::open_file(std::string("/proc/self/map_files/") + range, O_RDONLY));
  return pages.append_file(file.get(), segment.size, segment.extents);
}

Status capture_segments(const TreeFacts& facts, IpcImage& ipc, PagesWriter& pages) {
  for (int i = 0, last = last_segment(); i <= last; ++i) {
    shmid_ds state{};
    int id = ::shmctl(i, kStatAny, &state);
    if (id < 0) continue;
    SegmentImage& segment = ipc.segments.emplace_back();
    segment.object = describe(id, state.shm_perm);
    segment.size = state.shm_segsz;
    SF_TRY(capture_content(facts, segment, pages));
  }
  return Ok{};
}

Status capture_semaphores(IpcImage& ipc) {
  for (int i = 0, last = last_semaphores(); i <= last; ++i) {
    semid_ds state{};
    SemaphoreArgument argument{};
    argument.state = &state;
    int id = ::semctl(i, 0, kSemStatAny, argument);
    if (id < 0) continue;
    SemaphoresImage& set = ipc.semaphores.emplace_back();
    set.object = describe(id, state.sem_perm);
    set.values.resize(state.sem_nsems);
    argument.values = set.values.data();
    if (::semctl(id, 0, GETALL, argument) != 0) return os::last_error("reading semaphores");
  }
  return Ok{};
}

Status capture_queues(IpcImage& ipc) {
  std::string buffer(sizeof(long) + kMaxLetter, '\0');
  for (int i = 0, last = last_queue(); i <= last; ++i) {
    msqid_ds state{};
    int id = ::msgctl(i, kMsgStatAny, &state);
    if (id < 0) continue;
    QueueImage& queue = ipc.queues.emplace_back();
    queue.object = describe(id, state.msg_perm);
    queue.capacity = state.msg_qbytes;
    for (unsigned long n = 0; n < state.msg_qnum; ++n) {
      ssize_t size =
          ::msgrcv(id, buffer.data(), kMaxLetter, static_cast<long>(n), kCopy | IPC_NOWAIT);
      if (size < 0) return os::last_error("reading a message queue");
      LetterImage& letter = queue.letters.emplace_back();
      std::memcpy(&letter.type, buffer.data(), sizeof(long));
      letter.text = buffer.substr(sizeof(long), static_cast<std::size_t>(size));
    }
  }
  return Ok{};
}

Status choose_id(const char* kind, int id) {
  return os::write_file(std::string("/proc/sys/kernel/") + kind + "_next_id", std::to_string(id));
}

// Runs `call` with the ids of the object's creator: the kernel records the calling thread's ids.
template <typename Call>
int as_creator(const IpcObject& object, Call call) {
  const bool other = object.creator_uid != 0 || object.creator_gid != 0;
  if (other) {
    ::syscall(SYS_setresgid, -1, object.creator_gid, -1);
    ::syscall(SYS_setresuid, -1, object.creator_uid, -1);
  }
  int result = call(static_cast<int>(IPC_CREAT | IPC_EXCL | (object.mode & kAllAccess)));
  int error = errno;
  if (other) {
    ::syscall(SYS_setresuid, -1, 0, -1);
    ::syscall(SYS_setresgid, -1, 0, -1);
  }
  errno = error;
  return result;
}

Status check_id(int made, const IpcObject& object) {
  if (made < 0) return os::last_error("making System V IPC object " + std::to_string(object.id));
  if (made == object.id) return Ok{};
  return fail(ErrorCode::kOs, "a System V IPC object got another id");
}

void set_owner(ipc_perm& perm, const IpcObject& object) {
  perm.uid = object.uid;
  perm.gid = object.gid;
  perm.mode = static_cast<unsigned short>(object.mode & kAllAccess);
}

Status make_segment(const SegmentImage& segment, int pages) {
  const IpcObject& object = segment.object;
  SF_TRY(choose_id("shm", object.id));
  SF_TRY(check_id(as_creator(object,
                             [&](int flags) {
                               return ::shmget(
                                   object.key, segment.size,
                                   flags | static_cast<int>(object.mode & SHM_NORESERVE));
                             }),
                  object));
  shmid_ds state{};
  set_owner(state.shm_perm, object);
  if (::shmctl(object.id, IPC_SET, &state) != 0) return os::last_error("owner of shared memory");
  if (segment.extents.empty()) return Ok{};
  void* at = ::shmat(object.id, nullptr, 0);
  if (at == MAP_FAILED) return os::last_error("attaching shared memory");
  ScopeExit detach([&] { ::shmdt(at); });
  for (const Extent& extent : segment.extents) {
    for (std::uint64_t done = 0; done < extent.size;) {
      ssize_t n = ::pread(pages, static_cast<char*>(at) + extent.at + done, extent.size - done,
                          static_cast<off_t>(extent.offset + done));
      if (n <= 0) return os::last_error("filling shared memory");
      done += static_cast<std::uint64_t>(n);
    }
  }
  return Ok{};
}

Status make_semaphores(const SemaphoresImage& set) {
  const IpcObject& object = set.object;
  SF_TRY(choose_id("sem", object.id));
  SF_TRY(check_id(as_creator(object,
                             [&](int flags) {
                               return ::semget(object.key, static_cast<int>(set.values.size()),
                                               flags);
                             }),
                  object));
  std::vector<unsigned short> values = set.values;
  semid_ds state{};
  set_owner(state.sem_perm, object);
  SemaphoreArgument argument{};
  argument.values = values.data();
  bool done = ::semctl(object.id, 0, SETALL, argument) == 0;
  argument.state = &state;
  if (!done || ::semctl(object.id, 0, IPC_SET, argument) != 0)
    return os::last_error("setting semaphores");
  return Ok{};
}

Status make_queue(const QueueImage& queue) {
  const IpcObject& object = queue.object;
  SF_TRY(choose_id("msg", object.id));
  SF_TRY(
      check_id(as_creator(object, [&](int flags) { return ::msgget(object.key, flags); }), object));
  for (const LetterImage& letter : queue.letters) {
    std::string bytes(sizeof(long), '\0');
    std::memcpy(bytes.data(), &letter.type, sizeof(long));
    bytes += letter.text;
    if (::msgsnd(object.id, bytes.data(), letter.text.size(), IPC_NOWAIT) != 0)
      return os::last_error("filling a message queue");
  }
  msqid_ds state{};
  set_owner(state.msg_perm, object);
  state.msg_qbytes = queue.capacity;
  if (::msgctl(object.id, IPC_SET, &state) != 0) return os::last_error("owner of a message queue");
  return Ok{};
}

}  // namespace

void find_undo(TreeFacts& facts) {
  if (last_semaphores() < 0) return;
  for (ProcessFacts& process : facts.processes)
    process.may_undo = has_undo(facts.processes.front(), process);
}

Result<IpcFacts> read_ipc_facts() {
  IpcFacts facts;
  int last = last_segment();
  facts.any = last >= 0 || last_semaphores() >= 0 || last_queue() >= 0;
  for (int i = 0; i <= last; ++i) {
    shmid_ds state{};
    int id = ::shmctl(i, kStatAny, &state);
    if (id < 0) continue;
    facts.segments.push_back({id, state.shm_segsz, state.shm_nattch,
                              (state.shm_perm.mode & static_cast<unsigned>(SHM_HUGETLB)) != 0});
  }
  return facts;
}

std::string attachment_trouble(const IpcFacts& ipc, const MappingText& mapping) {
  auto segment = std::ranges::find_if(
      ipc.segments, [&](const SegmentFacts& s) { return is_attachment(mapping, s.id); });
  if (segment == ipc.segments.end()) return "it is shared memory of another IPC namespace";
  if (segment->has_huge_pages) return "it has huge pages";
  std::uint64_t whole = (segment->size + kPage - 1) / kPage * kPage;
  if (mapping.offset != 0 || mapping.end - mapping.start != whole)
    return "it is a part of a segment that was attached whole";
  return {};
}

Status capture_ipc(const TreeFacts& facts, IpcImage& ipc, PagesWriter& pages) {
  SF_TRY(capture_segments(facts, ipc, pages));
  SF_TRY(capture_semaphores(ipc));
  return capture_queues(ipc);
}

Result<MadeIpc> MadeIpc::make(const IpcImage& ipc, int pages) {
  MadeIpc made(ipc);
  for (const SegmentImage& segment : ipc.segments) SF_TRY(make_segment(segment, pages));
  for (const SemaphoresImage& set : ipc.semaphores) SF_TRY(make_semaphores(set));
  for (const QueueImage& queue : ipc.queues) SF_TRY(make_queue(queue));
  SF_TRY(make_posix_queues(ipc));
  return made;
}

MadeIpc::~MadeIpc() {
  if (ipc_ == nullptr) return;
  for (const SegmentImage& segment : ipc_->segments) ::shmctl(segment.object.id, IPC_RMID, nullptr);
  for (const SemaphoresImage& set : ipc_->semaphores) ::semctl(set.object.id, 0, IPC_RMID);
  for (const QueueImage& queue : ipc_->queues) ::msgctl(queue.object.id, IPC_RMID, nullptr);
  remove_posix_queues(*ipc_);
}

Status MadeIpc::finish() {
  for (const SegmentImage& segment : ipc_->segments) {
    const IpcObject& object = segment.object;
    if ((object.mode & static_cast<unsigned>(SHM_DEST)) != 0 &&
        ::shmctl(object.id, IPC_RMID, nullptr) != 0)
      return os::last_error("removing shared memory again");
    if ((object.mode & static_cast<unsigned>(SHM_LOCKED)) != 0 &&
        ::shmctl(object.id, SHM_LOCK, nullptr) != 0)
      return os::last_error("locking shared memory again");
  }
  return Ok{};
}

}  // namespace sf::waypoint::native
