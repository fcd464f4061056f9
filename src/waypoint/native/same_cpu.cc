#include "waypoint/native/same_cpu.h"

namespace sf::waypoint::native {

SameCpu::SameCpu(pid_t tid) : tid_(tid) {
  const int cpu = ::sched_getcpu();
  if (cpu < 0 || cpu >= CPU_SETSIZE) return;
  if (::sched_getaffinity(0, sizeof own_, &own_) != 0) return;
  if (::sched_getaffinity(tid_, sizeof its_, &its_) != 0) return;
  cpu_set_t here;
  CPU_ZERO(&here);
  CPU_SET(cpu, &here);
  if (::sched_setaffinity(0, sizeof here, &here) != 0) return;
  together_ = ::sched_setaffinity(tid_, sizeof here, &here) == 0;
  if (!together_) (void)::sched_setaffinity(0, sizeof own_, &own_);
}

SameCpu::~SameCpu() {
  if (!together_) return;
  (void)::sched_setaffinity(tid_, sizeof its_, &its_);
  (void)::sched_setaffinity(0, sizeof own_, &own_);
}

}  // namespace sf::waypoint::native
