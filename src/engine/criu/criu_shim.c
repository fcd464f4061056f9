/* Preloaded into CRIU. Built without a libc, since CRIU may run with a libc of its own. It makes
 * two corrections:
 *
 * Without CAP_SYS_RESOURCE, as in many containers, the kernel refuses prlimit64() on processes of
 * other users. The shim reads /proc/<pid>/limits instead.
 *
 * A process stopped inside poll() or a futex wait shows the "restart block" code. CRIU turns it
 * into
 * EINTR, in the live process too, so programs that do not retry would end at every checkpoint. The
 * shim shows the "restart" code instead, so the kernel restarts the call. Sleeps keep EINTR: the
 * kernel has already stored the time left. */
#include <stddef.h>

#define SYS_READ 0
#define SYS_OPEN 2
#define SYS_CLOSE 3
#define SYS_PTRACE 101
#define SYS_PRLIMIT64 302
#define SYS_POLL 7
#define SYS_FUTEX 202
#define SYS_CLOCK_NANOSLEEP 230
#define PTRACE_PEEK_LAST 3
#define PTRACE_GETREGS_REQUEST 12
#define PTRACE_GETREGSET_REQUEST 0x4204
#define NT_PRSTATUS_SET 1
#define RESTART_BLOCK (-516)
#define RESTART_ALWAYS (-513)
#define EPERM_NEGATED (-1)
#define LIMIT_COUNT 16
#define NO_LIMIT (~0UL)

extern int* __errno_location(void);

static long raw_syscall(long n, long a, long b, long c, long d, long e, long f) {
  long result;
  register long r10 __asm__("r10") = d;
  register long r8 __asm__("r8") = e;
  register long r9 __asm__("r9") = f;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(n), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
  return result;
}

/* Row names of /proc/<pid>/limits in the order of the RLIMIT_ numbers. */
static const char* const row_names[LIMIT_COUNT] = {
    "Max cpu time",       "Max file size",     "Max data size",         "Max stack size",
    "Max core file size", "Max resident set",  "Max processes",         "Max open files",
    "Max locked memory",  "Max address space", "Max file locks",        "Max pending signals",
    "Max msgqueue size",  "Max nice priority", "Max realtime priority", "Max realtime timeout"};

static char* append(char* to, const char* text) {
  while (*text) *to++ = *text++;
  return to;
}

static char* append_number(char* to, unsigned long value) {
  char digits[24];
  int n = 0;
  do {
    digits[n++] = (char)('0' + value % 10);
    value /= 10;
  } while (value);
  while (n) *to++ = digits[--n];
  return to;
}

static long read_limits_file(long pid, char* buffer, size_t size) {
  char path[64];
  char* end = append(path, "/proc/");
  end = append_number(end, (unsigned long)pid);
  end = append(end, "/limits");
  *end = 0;
  long fd = raw_syscall(SYS_OPEN, (long)path, 0, 0, 0, 0, 0);
  if (fd < 0) return -1;
  long n = raw_syscall(SYS_READ, fd, (long)buffer, (long)size - 1, 0, 0, 0);
  raw_syscall(SYS_CLOSE, fd, 0, 0, 0, 0, 0);
  if (n > 0) buffer[n] = 0;
  return n;
}

static const char* after_prefix(const char* line, const char* prefix) {
  while (*prefix && *line == *prefix) {
    ++line;
    ++prefix;
  }
  return *prefix == 0 && *line == ' ' ? line : NULL;
}

static const char* read_value(const char* text, unsigned long* value) {
  while (*text == ' ') ++text;
  if (*text == 'u') { /* unlimited */
    *value = NO_LIMIT;
    while (*text && *text != ' ') ++text;
    return text;
  }
  *value = 0;
  while (*text >= '0' && *text <= '9') *value = *value * 10 + (unsigned long)(*text++ - '0');
  return text;
}

static int find_limit(long pid, long resource, unsigned long* pair) {
  char buffer[4096];
  if (read_limits_file(pid, buffer, sizeof buffer) <= 0) return -1;
  for (const char* line = buffer; *line;) {
    const char* values = after_prefix(line, row_names[resource]);
    if (values) {
      read_value(read_value(values, &pair[0]), &pair[1]);
      return 0;
    }
    while (*line && *line != '\n') ++line;
    if (*line) ++line;
  }
  return -1;
}

/* CRIU calls prlimit64 through libc's syscall(). */
long syscall(long n, long a, long b, long c, long d, long e, long f) {
  long result = raw_syscall(n, a, b, c, d, e, f);
  int refused_read =
      result == EPERM_NEGATED && n == SYS_PRLIMIT64 && a && !c && d && b >= 0 && b < LIMIT_COUNT;
  if (refused_read && find_limit(a, b, (unsigned long*)d) == 0) return 0;
  if (result < 0 && result > -4096) {
    *__errno_location() = (int)-result;
    return -1;
  }
  return result;
}

/* Indexes into the kernel's user_regs_struct, seen as an array. */
enum register_index { REG_RAX = 10, REG_RSI = 13, REG_ORIG_RAX = 15, REG_COUNT = 27 };

struct part {
  void* base;
  size_t size;
};

static void restart_waits(long* registers) {
  long call = registers[REG_ORIG_RAX];
  int absolute_sleep = call == SYS_CLOCK_NANOSLEEP && (registers[REG_RSI] & 1);
  if (registers[REG_RAX] != RESTART_BLOCK) return;
  if (call == SYS_POLL || call == SYS_FUTEX || absolute_sleep) registers[REG_RAX] = RESTART_ALWAYS;
}

long ptrace(long request, long pid, long address, long data) {
  long peeked = 0;
  int is_peek = request >= 1 && request <= PTRACE_PEEK_LAST;
  long result =
      raw_syscall(SYS_PTRACE, request, pid, address, is_peek ? (long)&peeked : data, 0, 0);
  if (result < 0 && result > -4096) {
    *__errno_location() = (int)-result;
    return -1;
  }
  if (is_peek) {
    *__errno_location() = 0;
    return peeked;
  }
  if (request == PTRACE_GETREGS_REQUEST) restart_waits((long*)data);
  if (request == PTRACE_GETREGSET_REQUEST && address == NT_PRSTATUS_SET) {
    struct part* part = (struct part*)data;
    if (part->size >= REG_COUNT * sizeof(long)) restart_waits((long*)part->base);
  }
  return result;
}
