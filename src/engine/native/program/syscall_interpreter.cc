// Freestanding: compiled without sanitizers, coverage, stack protector and vector registers (see
// CMakeLists.txt), all in one section, and copied from there. Calls nothing outside of it.
#include "engine/native/program/syscall_interpreter.h"

#include <linux/futex.h>
#include <linux/sched.h>
#include <sys/syscall.h>

#include "engine/native/program/program.h"

#define SF_BLOB \
  __attribute__((section("syscall_interpreter"), noinline, used, visibility("hidden")))
#define SF_INLINE static inline __attribute__((always_inline))

extern "C" const unsigned char __start_syscall_interpreter[];  // NOLINT: names given by the linker
extern "C" const unsigned char __stop_syscall_interpreter[];   // NOLINT

namespace sf::waypoint::native {
namespace {

SF_INLINE long call(long number, const std::uint64_t* args) {
  register std::uint64_t r10 asm("r10") = args[3];
  register std::uint64_t r8 asm("r8") = args[4];
  register std::uint64_t r9 asm("r9") = args[5];
  long result = number;
  asm volatile("syscall"
               : "+a"(result)
               : "D"(args[0]), "S"(args[1]), "d"(args[2]), "r"(r10), "r"(r8), "r"(r9)
               : "rcx", "r11", "memory");
  return result;
}

SF_INLINE long futex(std::uint32_t* word, int op, std::uint32_t value) {
  std::uint64_t args[6] = {
      reinterpret_cast<std::uint64_t>(word), static_cast<std::uint64_t>(op), value, 0, 0, 0};
  return call(SYS_futex, args);
}

SF_INLINE void add(std::uint32_t* word) {
  __atomic_add_fetch(word, 1, __ATOMIC_SEQ_CST);
  futex(word, FUTEX_WAKE, 0x7fffffff);
}

SF_INLINE void await(std::uint32_t* word, std::uint32_t value) {
  // Most waits take microseconds, less than a futex wake-up.
  for (int i = 0; i < 20 && __atomic_load_n(word, __ATOMIC_SEQ_CST) < value; ++i) {
    std::uint64_t none[6] = {};
    call(SYS_sched_yield, none);
  }
  for (;;) {
    std::uint32_t now = __atomic_load_n(word, __ATOMIC_SEQ_CST);
    if (now >= value) return;
    futex(word, FUTEX_WAIT, now);
  }
}

SF_INLINE void fail_and_end(Program* program, const Step& step, long result) {
  auto* failure = reinterpret_cast<Failure*>(program->failure);
  std::uint32_t nobody = 0;
  if (__atomic_compare_exchange_n(&failure->happened, &nobody, 1, false, __ATOMIC_SEQ_CST,
                                  __ATOMIC_SEQ_CST)) {
    failure->subject = step.subject;
    failure->number = step.number;
    failure->result = result;
    failure->program = program->id;
    __atomic_store_n(&failure->happened, 2, __ATOMIC_SEQ_CST);
    futex(&failure->happened, FUTEX_WAKE, 0x7fffffff);
  }
  std::uint64_t args[6] = {1, 0, 0, 0, 0, 0};
  call(SYS_exit_group, args);
}

}  // namespace

extern "C" SF_BLOB void sf_interpreter_run(Program* program);

extern "C" SF_BLOB void sf_interpreter_run(Program* program) {
  auto* steps = reinterpret_cast<Step*>(program->steps);
  auto* values = reinterpret_cast<std::uint64_t*>(program->values);
  for (std::uint64_t i = 0; i < program->count; ++i) {
    Step& step = steps[i];
    std::uint64_t args[6];
    for (unsigned n = 0; n < 6; ++n)
      args[n] = (step.from_values >> n) & 1U ? values[step.args[n]] : step.args[n];
    long result = 0;
    auto* word = reinterpret_cast<std::uint32_t*>(args[0]);
    if (step.number >= 0) {
      result = call(step.number, args);
    } else if (step.number == kFork) {
      // The child has the same registers and another stack.
      result = SYS_clone3;
      std::uint64_t size = sizeof(clone_args);
      asm volatile(
          "syscall\n\t"
          "test %%rax, %%rax\n\t"
          "jnz 1f\n\t"
          "mov %[child], %%rdi\n\t"
          "xor %%ebp, %%ebp\n\t"
          "call sf_interpreter_run\n\t"
          "hlt\n"
          "1:"
          : "+a"(result)
          : "D"(args[0]), "S"(size), [child] "r"(args[1])
          : "rcx", "r11", "memory");
    } else if (step.number == kAdd) {
      add(word);
    } else if (step.number == kAwait) {
      await(word, static_cast<std::uint32_t>(args[1]));
    } else if (step.number == kLoad) {
      result = static_cast<long>(*word);
    } else if (step.number == kPark) {
      add(word);
      await(reinterpret_cast<std::uint32_t*>(args[1]), 1);
    } else {
      asm volatile("int3");
    }
    step.result = result;
    if (step.keep >= 0) values[step.keep] = static_cast<std::uint64_t>(result);
    bool failed = (result < 0 && result > -4096 && step.may_fail == 0) ||
                  (step.exactly != 0 && result != step.exactly);
    if (failed && program->failure != 0) fail_and_end(program, step, result);
  }
  for (;;) asm volatile("int3");
}

InterpreterCode interpreter_code() {
  const auto* begin = __start_syscall_interpreter;
  const auto* entry = reinterpret_cast<const unsigned char*>(&sf_interpreter_run);
  return {{begin, static_cast<std::size_t>(__stop_syscall_interpreter - begin)},
          static_cast<std::size_t>(entry - begin)};
}

}  // namespace sf::waypoint::native
