// Limits and attributes: resource limits, niceness, CPU affinity, I/O priority, interval timers,
// OOM score, personality and others.
//
// Saved and restored by the process itself, since other processes may not read all of them.
// Declined (native_blockers.h): real-time scheduling, an OOM score below the engine's own.
#pragma once

#include "engine/native/image.h"
#include "engine/native/program/program_writer.h"

namespace sf::waypoint::native {

// struct sched_attr; its header conflicts with the C library's.
struct Schedule {
  static constexpr std::uint64_t kResetOnFork = 1;
  std::uint32_t size = sizeof(Schedule);
  std::uint32_t policy = 0;
  std::uint64_t flags = 0;
  std::int32_t nice = 0;
  std::uint32_t priority = 0;
  std::uint64_t slice = 0;  // sched_runtime
  std::uint64_t deadline = 0;
  std::uint64_t period = 0;
};

class ProcessQuestions {
 public:
  explicit ProcessQuestions(ProgramWriter& program);
  void take(ProcessImage& process);

 private:
  ProgramWriter& program_;
  std::uint64_t limits_ = 0;
  std::uint64_t timers_ = 0;
  std::uint64_t subreaper_ = 0;
  std::size_t dumpable_ = 0;
  std::size_t personality_ = 0;
  std::size_t huge_pages_ = 0;
  std::size_t break_ = 0;
};

void bring_back_limits(ProgramWriter& program, const ProcessImage& process);
void bring_back_timers(ProgramWriter& program, const ProcessImage& process);
void bring_back_standing(ProgramWriter& program, const ProcessImage& process);
void bring_back_standing(ProgramWriter& program, const ThreadImage& thread);
// Run after the credentials, which reset these.
void bring_back_traits(ProgramWriter& program, const ProcessImage& process);

}  // namespace sf::waypoint::native
