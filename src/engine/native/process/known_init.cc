#include "engine/native/process/known_init.h"

#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>

#include "os/error.h"
#include "os/file.h"

namespace sf::waypoint::native {
namespace {

constexpr int kOneProcess = 1;  // IOPRIO_WHO_PROCESS

// As other processes see it: they can change it, and it differs from what init itself would report.
long io_priority_of(pid_t pid) { return ::syscall(SYS_ioprio_get, kOneProcess, pid); }

// True if init's program and open file still have their names: the branch may remove, replace or
// move them.
bool has_its_files(const ProcessFacts& facts) {
  const std::string proc = "/proc/" + std::to_string(facts.pid);
  auto exe = os::read_link(proc + "/exe");
  if (!exe || *exe != facts.exe) return false;
  for (const DescriptorFacts& fd : facts.descriptors) {
    if (!fd.link.starts_with('/') || fd.link.starts_with("/memfd:")) continue;
    auto link = os::read_link(proc + "/fd/" + std::to_string(fd.number));
    return link && *link == fd.link;  // all others are the same file
  }
  return true;
}

// The part of the image that init itself would report.
ProcessImage answers_of(const ProcessImage& image) {
  ProcessImage answers = image;
  answers.mappings.clear();
  answers.pages.clear();
  answers.descriptors.clear();
  return answers;
}

}  // namespace

void KnownInit::restored(pid_t pid, const ProcessImage& image) {
  pid_ = pid;
  requests_ = 0;
  facts_.reset();
  image_ = answers_of(image);
  io_priority_ = io_priority_of(pid);  // init is still stopped: no command has changed it
}

pid_t KnownInit::look() {
  if (pid_ == 0 || facts_) return pid_;
  if (auto facts = read_process(pid_)) facts_ = std::move(*facts);
  return pid_;
}

void KnownInit::captured(const ProcessFacts& facts, const ProcessImage& image,
                         std::optional<std::uint64_t> requests) {
  if (knows(facts.pid, requests)) return;
  pid_ = requests ? facts.pid : 0;
  requests_ = requests.value_or(0);
  facts_ = facts;
  image_ = answers_of(image);
  io_priority_ = io_priority_of(facts.pid);
}

bool KnownInit::knows(pid_t pid, std::optional<std::uint64_t> requests) const {
  return pid_ == pid && requests == requests_ && facts_ && image_ && image_->posix_timers.empty() &&
         io_priority_of(pid) == io_priority_ && has_its_files(*facts_);
}

Status KnownInit::answer(ProcessImage& process) const {
  process.actions = image_->actions;
  process.timers = image_->timers;
  process.subreaper = image_->subreaper;
  process.dumpable = image_->dumpable;
  process.personality = image_->personality;
  process.no_huge_pages = image_->no_huge_pages;
  process.layout.bounds = image_->layout.bounds;
  for (unsigned i = 0; i < process.limits.size(); ++i)
    if (::prlimit(pid_, static_cast<__rlimit_resource>(i), nullptr, &process.limits[i]) != 0)
      return os::last_error("reading the limits of init");
  ThreadImage& thread = process.threads[0];
  const ThreadImage& known = image_->threads[0];
  thread.alternate_stack = known.alternate_stack;
  thread.clear_tid = known.clear_tid;
  thread.death_signal = known.death_signal;
  SF_TRY_ASSIGN(std::string slack,
                os::read_file("/proc/" + std::to_string(pid_) + "/timerslack_ns"));
  thread.timer_slack = std::strtoull(slack.c_str(), nullptr, 10);
  thread.time_stamp = known.time_stamp;
  thread.memory_failure = known.memory_failure;
  thread.credentials.secure_bits = known.credentials.secure_bits;
  thread.io_priority = known.io_priority;
  return Ok{};
}

}  // namespace sf::waypoint::native
