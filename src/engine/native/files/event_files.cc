#include "engine/native/files/event_files.h"

#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>

#include <algorithm>
#include <cstdio>
#include <set>
#include <string>

#include "engine/native/files/inotify.h"

namespace sf::waypoint::native {
namespace {

constexpr unsigned long kSetTicks = _IOW('T', 0, std::uint64_t);  // TFD_IOC_SET_TICKS

// The text after "key:" on its line.
std::optional<std::string> value_of(std::string_view text, std::string_view key) {
  std::size_t at = text.starts_with(key) ? 0 : text.find("\n" + std::string(key));
  if (at == std::string_view::npos) return std::nullopt;
  at = text.find(':', at) + 1;
  return std::string(text.substr(at, text.find('\n', at) - at));
}

template <typename... Locations>
bool scan(const std::optional<std::string>& text, const char* format, Locations*... locations) {
  // NOLINTNEXTLINE(clang-diagnostic-format-nonliteral): every format is a literal of this file
  return text && std::sscanf(text->c_str(), format, locations...) == sizeof...(locations);
}

std::optional<EventImage> parse_counter(std::string_view info) {
  EventImage event{EventKind::kCounter, {}, {}};
  unsigned long long count = 0;
  unsigned semaphore = 0;
  if (!scan(value_of(info, "eventfd-count"), "%llx", &count) ||
      !scan(value_of(info, "eventfd-semaphore"), "%u", &semaphore))
    return std::nullopt;
  event.numbers = {count, semaphore};
  return event;
}

std::optional<EventImage> parse_timer(std::string_view info) {
  EventImage event{EventKind::kTimer, {}, {}};
  unsigned clock = 0;
  unsigned long long ticks = 0;
  unsigned flags = 0;
  long long value[2] = {};
  long long interval[2] = {};
  if (!scan(value_of(info, "clockid"), "%u", &clock) ||
      !scan(value_of(info, "ticks"), "%llu", &ticks) ||
      !scan(value_of(info, "settime flags"), "%o", &flags) ||
      !scan(value_of(info, "it_value"), " (%lld, %lld)", &value[0], &value[1]) ||
      !scan(value_of(info, "it_interval"), " (%lld, %lld)", &interval[0], &interval[1]))
    return std::nullopt;
  if ((flags & ~static_cast<unsigned>(TFD_TIMER_ABSTIME)) != 0) return std::nullopt;
  auto whole = [](long long n) { return static_cast<std::uint64_t>(n); };
  event.numbers = {clock,           ticks,          whole(interval[0]), whole(interval[1]),
                   whole(value[0]), whole(value[1])};
  return event;
}

std::optional<EventImage> parse_epoll(std::string_view info) {
  EventImage event{EventKind::kEpoll, {}, {}};
  for (std::size_t at = info.find("tfd:"); at != std::string_view::npos;
       at = info.find("tfd:", at + 1)) {
    WatchedFile watched;
    unsigned long long data = 0;
    std::string line(info.substr(at, info.find('\n', at) - at));
    if (std::sscanf(line.c_str(), "tfd: %d events: %x data: %llx", &watched.number, &watched.events,
                    &data) != 3)
      return std::nullopt;
    watched.data = data;
    event.watched.push_back(watched);
  }
  return event;
}

// The process's pids in all namespaces from this one inwards. A process of a branch has at least
// two.
std::optional<EventImage> parse_process(std::string_view info) {
  auto names = value_of(info, "NSpid");
  auto flags = value_of(info, "flags");
  int outer = 0;
  int inner = 0;
  unsigned bits = 0;
  if (!names || std::sscanf(names->c_str(), "%d %d", &outer, &inner) != 2 || inner <= 0)
    return std::nullopt;
  if (!scan(flags, "%o", &bits) || (bits & static_cast<unsigned>(O_EXCL)) != 0)  // of a thread
    return std::nullopt;
  return EventImage{EventKind::kProcess, {static_cast<std::uint64_t>(inner)}, {}};
}

}  // namespace

std::optional<EventImage> parse_event(std::string_view link, std::string_view info) {
  if (link == "anon_inode:[eventfd]") return parse_counter(info);
  if (link == "anon_inode:[timerfd]") return parse_timer(info);
  if (link == "anon_inode:[eventpoll]") return parse_epoll(info);
  if (link == "anon_inode:[pidfd]" || link.starts_with("pidfd:")) return parse_process(info);
  if (link == "anon_inode:inotify") {
    auto watches = parse_watches(info);
    if (!watches) return std::nullopt;
    return EventImage{EventKind::kInotify, {}, {}};
  }
  if (link != "anon_inode:[signalfd]") return std::nullopt;
  EventImage event{EventKind::kSignals, {}, {}};
  unsigned long long mask = 0;
  if (!scan(value_of(info, "sigmask"), "%llx", &mask)) return std::nullopt;
  event.numbers = {mask};
  return event;
}

Argument make_event(ProgramWriter& program, const FileImage& file) {
  const EventImage& event = file.event;
  Arena& arena = program.arena();
  auto number = [&](std::size_t i) { return event.numbers.at(i); };
  unsigned flags = (file.flags & O_NONBLOCK) | O_CLOEXEC;  // the same values for all kinds
  program.about("making " + file.path);
  if (event.kind == EventKind::kCounter) {
    Argument fd = program.keep(
        SYS_eventfd2, {0, flags | (number(1) != 0 ? static_cast<unsigned>(EFD_SEMAPHORE) : 0U)});
    if (number(0) != 0) program.call(SYS_write, {fd, arena.put_value(number(0)), 8});
    return fd;
  }
  if (event.kind == EventKind::kSignals)
    return program.keep(SYS_signalfd4, {-1, arena.put_value(number(0)), 8, flags});
  if (event.kind == EventKind::kEpoll) return program.keep(SYS_epoll_create1, {O_CLOEXEC});
  if (event.kind == EventKind::kInotify) return program.keep(SYS_inotify_init1, {flags});
  Argument fd = program.keep(SYS_timerfd_create, {number(0), flags});
  std::array<std::uint64_t, 4> setting = {number(2), number(3), number(4), number(5)};
  if (setting[2] != 0 || setting[3] != 0)
    program.call(SYS_timerfd_settime, {fd, 0, arena.put_value(setting), 0});
  if (number(1) != 0) program.call(SYS_ioctl, {fd, kSetTicks, arena.put_value(number(1))});
  return fd;
}

bool is_opened_late(const FileImage& file) {
  return file.kind == FileKind::kEvent && file.event.kind == EventKind::kProcess;
}

void open_late(ProgramWriter& program, const FileImage& file, const Descriptor& fd, int occupant) {
  program.about("opening process " + std::to_string(file.event.numbers.at(0)));
  // Occupy the number first: the pidfd is then created at another number and moved.
  program.call(SYS_dup3, {occupant, fd.number, O_CLOEXEC});
  Argument made = program.keep(SYS_pidfd_open, {file.event.numbers.at(0), file.flags & O_NONBLOCK});
  program.call(SYS_dup3, {made, fd.number, fd.close_on_exec != 0 ? O_CLOEXEC : 0});
  program.call(SYS_close, {made});
}

void fill_epoll_sets(ProgramWriter& program, const ProcessImage& process, const TreeImage& tree) {
  std::set<std::uint32_t> filled;
  for (const Descriptor& fd : process.descriptors) {
    const FileImage& file = tree.files[fd.file];
    if (file.kind != FileKind::kEvent || file.event.kind != EventKind::kEpoll ||
        file.event.owner != process.pid || !filled.insert(fd.file).second)
      continue;
    program.about("filling an epoll set");
    for (const WatchedFile& watched : file.event.watched) {
      epoll_event event{};
      event.events = watched.events;
      event.data.u64 = watched.data;
      program.call(SYS_epoll_ctl,
                   {fd.number, EPOLL_CTL_ADD, watched.number, program.arena().put_value(event)});
    }
  }
}

}  // namespace sf::waypoint::native
