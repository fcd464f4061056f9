// Kernel settings of processes and the terminal: priorities, CPUs, filters, exclusive mode. In no
// family: rows for the process engines.
#include "scenario.h"

namespace sf::equivalence {

std::vector<Scenario> standing_scenarios() {
  // TIOCEXCL and TIOCGEXCL on a descriptor that is already open, because an exclusive terminal
  // cannot be opened again.
  const std::string set_exclusive = "python3 -c 'import fcntl; fcntl.ioctl(0, 0x540c)'";
  const std::string is_exclusive =
      "python3 -c 'import array, fcntl; a = array.array(\"i\", [0]); fcntl.ioctl(0, 0x80045440, "
      "a); "
      "print(\"exclusive\", a[0])'";
  return {
      {.name = "IoPriorities",
       .prepare = {"ionice -c 2 -n 6 -p $$; sleep 1000 & a=$!; ionice -c 3 sleep 1000 & b=$!",
                   "wait-for sh -c 'ionice -p $0 | grep idle' $b"},
       .probe = {"ionice -p $$; ionice -p $a; ionice -p $b; ionice -p 1"},
       .expect = "idle"},
      {.name = "CoredumpFilters",
       .prepare = {"echo 0x7f >/proc/$$/coredump_filter; sleep 1000 & a=$!",
                   "echo 0x1 >/proc/$$/coredump_filter; echo 0x21 >/proc/1/coredump_filter"},
       .probe = {"cat /proc/$$/coredump_filter /proc/$a/coredump_filter /proc/1/coredump_filter"},
       .expect = "0000007f"},
      {.name = "CpuAffinity",
       .prepare = {"sleep 1000 & a=$!; taskset -cp 0 $a; taskset -cp $(nproc --all | awk '{print "
                   "$1 - 1}') $$"},
       .probe = {"for p in $$ $a 1; do grep Cpus_allowed_list /proc/$p/status; done"},
       .expect = "Cpus_allowed_list:\t0\n"},
      {.name = "TimerSlack",
       .prepare = {"echo 72000 >/proc/self/timerslack_ns"},  // a process can read only its own
       .probe = {"cat /proc/self/timerslack_ns"},
       .expect = "72000\n"},
      {.name = "StandingOfAnotherUser",
       .user = "nobody",
       .prepare = {"ionice -c 2 -n 5 -p $$; sleep 1000 & a=$!; echo 0x3 >/proc/$a/coredump_filter; "
                   "taskset -cp 0 $a; ionice -c 3 -p $a"},
       .probe =
           {"ionice -p $$; ionice -p $a; cat /proc/$$/coredump_filter /proc/$a/coredump_filter",
            "grep Cpus_allowed_list /proc/$a/status"},
       .expect = "idle\n"},
      {.name = "StandingOfThreads",
       .prepare = {"python3 -c 'import os, threading, time\n"
                   "def wait():\n"
                   "  os.sched_setaffinity(0, {0})\n"
                   "  open(\"ready\", \"w\")\n"
                   "  time.sleep(1000)\n"
                   "threading.Thread(target=wait).start()' & a=$!",
                   "wait-for test -e ready"},
       .probe = {"for t in /proc/$a/task/*; do grep Cpus_allowed_list $t/status; done"},
       .expect = "Cpus_allowed_list:\t0\n"},
      {.name = "ExclusiveTerminal",
       .prepare = {set_exclusive},
       .probe = {is_exclusive, "(exec 9</dev/pts/0) 2>&1 | grep -o busy"},
       .expect = "exclusive 1\n"},
      {.name = "OrdinaryTerminal",
       .prepare = {"true"},
       .probe = {is_exclusive},
       .expect = "exclusive 0\n"},
  };
}

}  // namespace sf::equivalence
