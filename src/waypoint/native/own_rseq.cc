#include "waypoint/native/own_rseq.h"

#include <sys/rseq.h>
#include <sys/syscall.h>

#include <algorithm>

namespace sf::waypoint::native {

void unregister_own_rseq(ProgramWriter& program) {
  if (__rseq_size == 0) return;    // the C library was told not to
  constexpr unsigned kLeast = 32;  // what it registers, whatever part of it it uses
  auto address = reinterpret_cast<std::uint64_t>(__builtin_thread_pointer()) +
                 static_cast<std::uint64_t>(__rseq_offset);
  program.about("the engine's rseq area");
  program.call(SYS_rseq, {address, std::max(__rseq_size, kLeast), RSEQ_FLAG_UNREGISTER, RSEQ_SIG});
}

}  // namespace sf::waypoint::native
