// Processes under the shell's job control, and processes that left it.
#include "scenario.h"

namespace sf::equivalence {

using control::Preserves;

std::vector<Scenario> job_scenarios() {
  return {
      {.name = "LastBackgroundPid",
       .prepare = {"sleep 1000 &", "wait-for grep -qx sleep /proc/$!/comm"},
       .probe = {"echo $!; kill -0 $! && echo alive; ps -o pid,ppid,pgid,sid,args -p $!"},
       .expect = "alive"},
      {.name = "JobTable",
       .prepare = {"sleep 1001 &", "sleep 1002 & sleep 1003 &", "cat < <(sleep 1004) | wc -c &"},
       .probe = {"jobs -l", "jobs -p; jobs %2; jobs -r | wc -l"},
       .expect = "sleep 1002",
       .disturb = {"kill %1 %2; wait %1"}},
      {.name = "WaitKeepsTheExitCode",
       .prepare = {"mkfifo gate; (read -r line < gate; exit 5) & pid=$!"},
       .probe = {"{ echo go > gate; wait $pid; echo code $?; jobs > /dev/null; } 2> /dev/null"},
       .expect = "code 5",
       .asking = Asking::kOnce,
       .also_needs = Preserves::kFiles},
      {.name = "FinishedJobKeepsItsExitCode",
       .prepare = {"(exit 6) & pid=$!; while kill -0 $pid 2>/dev/null; do :; done"},
       .probe = {"wait $pid; echo code $?"},
       .expect = "code 6",
       .asking = Asking::kOnce},
      // The writer waits until the job owns the terminal.
      {.name = "Foreground",
       .prepare = {"mkfifo gate; (cat gate > got; exit 3) & pid=$!"},
       .probe = {"({ wait-for sh -c \"[ \\$(ps -o tpgid= -p $$) = $pid ]\"; echo through > gate; } "
                 "> /dev/null 2>&1 &)\n"
                 "fg %1; echo code $?; cat got"},
       .expect = "code 3\nthrough",
       .asking = Asking::kOnce,
       .also_needs = Preserves::kFiles},
      {.name = "StoppedJob",
       .prepare = {"sleep 1000 & kill -STOP $!; wait-for grep -q '^State:.T' /proc/$!/status; jobs "
                   "> /dev/null"},
       .probe = {"jobs -l; jobs -s | wc -l", "ps -o pid,stat,args -p $!"},
       .expect = "Stopped",
       .disturb = {"kill -CONT %1"}},
      {.name = "StoppedJobGoesOn",
       .prepare = {"sleep 1000 & pid=$!; kill -STOP $pid; wait-for grep -q '^State:.T' "
                   "/proc/$pid/status; jobs > /dev/null"},
       .probe = {"bg %1 > /dev/null 2>&1; wait-for grep -q '^State:.S' /proc/$pid/status; jobs -r "
                 "| wc -l",
                 "{ kill %1; wait $pid; echo code $?; jobs > /dev/null; } 2> /dev/null"},
       .expect = "code 143",
       .asking = Asking::kOnce,
       .also_needs = Preserves::kFiles},
      {.name = "KillByJobNumber",
       .prepare = {"sleep 1001 & pid=$!; sleep 1002 &"},
       .probe = {"{ kill %1; wait $pid; echo code $?; jobs > /dev/null; } 2> /dev/null",
                 "jobs -r %2"},
       .expect = "code 143",
       .asking = Asking::kOnce},
      {.name = "DisownedJob",
       .prepare = {"sleep 1000 & disown", "wait-for grep -qx sleep /proc/$!/comm"},
       .probe = {"jobs; pgrep -x sleep; ps -o ppid,args -p $!"},
       .expect = "sleep 1000"},
      {.name = "Coprocess",
       .prepare = {"coproc doubler { while read -r n; do echo $((n * 2)); done; }"},
       .probe = {"echo 21 >&${doubler[1]}; read -r answer <&${doubler[0]}; echo $answer "
                 "$doubler_PID ${doubler[@]}"},
       .expect = "42"},
      {.name = "Pipeline",
       .prepare = {"mkfifo gate; exec 4<>gate; sed -u 's/^/<</' < gate | sed -u 's/$/>>/' >> out &",
                   "echo one >&4; wait-for grep -q one out"},
       .probe = {": > out; echo two >&4; wait-for grep -q two out; cat out", "jobs -l"},
       .expect = "<<two>>",
       .also_needs = Preserves::kFiles},
      {.name = "PipelineWithDataUnderWay",
       .prepare = {"mkfifo gate; seq 1 20000 | (read -r line < gate; md5sum) > sum & pid=$!"},
       .probe = {"{ echo go > gate; wait $pid; cat sum; jobs > /dev/null; } 2> /dev/null"},
       .expect = "e071f707df7bbeee2a6a1eb48011ddd0",
       .asking = Asking::kOnce,
       .also_needs = Preserves::kFiles},
      {.name = "JobThatCountsInMemory",
       .prepare = {"mkfifo in out; (n=40; exec <>in 3<>out; while read -r line; do n=$((n + "
                   "line)); echo $n >&3; done) &",
                   "exec 5<>in 6<>out; echo 1 >&5; read -r n <&6; [ $n = 41 ]"},
       .probe = {"echo 1 >&5; read -r n <&6; echo counted $n; echo -1 >&5; read -r n <&6"},
       .expect = "counted 42",
       .disturb = {"echo 100 >&5; read -r n <&6"},
       .also_needs = Preserves::kFiles},
      {.name = "SessionLeader",
       .prepare = {"(setsid bash -c 'echo $$ > pid.new; mv pid.new pid; exec sleep 1000' > "
                   "/dev/null 2>&1 < /dev/null &)",
                   "wait-for test -s pid", "wait-for grep -qx sleep /proc/$(cat pid)/comm"},
       .probe = {"ps -o pid,ppid,pgid,sid,tty,args -p $(cat pid)"},
       .expect = "sleep 1000",
       .also_needs = Preserves::kFiles},
      {.name = "SessionLeaderThatKeepsTheTerminalOpen",
       .prepare = {"(setsid bash -c 'echo $$ > pid.new; mv pid.new pid; exec sleep 1000' &); "
                   "wait-for test -s pid",
                   "wait-for grep -qx sleep /proc/$(cat pid)/comm"},
       .probe = {"ps -o pid,ppid,pgid,sid,args -p $(cat pid)", "readlink /proc/$(cat pid)/fd/1"},
       .expect = "/dev/pts/",
       .also_needs = Preserves::kFiles},
      {.name = "DoubleForkedDaemon",
       .prepare = {R"(/usr/bin/python3 - <<'END'
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        null = os.open("/dev/null", os.O_RDWR)
        for fd in (0, 1, 2): os.dup2(null, fd)
        open("pid.new", "w").write(str(os.getpid()))
        os.rename("pid.new", "pid")
        while True: time.sleep(1000)
    os._exit(0)
os.wait()
END
wait-for test -s pid)"},
       .probe = {"ps -o pid,ppid,pgid,sid,tty,args -p $(cat pid)"},
       .expect = "python3",
       .also_needs = Preserves::kFiles},
      {.name = "IgnoredHangup",
       .prepare = {"nohup sleep 1000 > /dev/null 2>&1 &", "wait-for grep -qx sleep /proc/$!/comm"},
       .probe = {"grep SigIgn /proc/$!/status; jobs -l"},
       .expect = "SigIgn:\t0000000000000001"},
      {.name = "ProcessOfAnotherUser",
       .prepare = {"su nobody -s /bin/bash -c 'cd /w; umask 077; sleep 1000 < /dev/null > "
                   "/dev/null 2>&1 & echo $! > pid'",
                   "wait-for grep -qx sleep /proc/$(cat pid)/comm"},
       .probe = {"ps -o user,pid,ppid,args -p $(cat pid)", "stat -c '%U %a' pid",
                 "grep -e ^Uid -e ^Gid -e ^Groups -e ^Cap /proc/$(cat pid)/status"},
       .expect = "nobody",
       .also_needs = Preserves::kFiles},
      {.name = "ProcessWithoutPrivileges",
       .prepare = {"setpriv --reuid=65534 --regid=65534 --clear-groups --no-new-privs "
                   "--inh-caps=-all sleep 1000 &",
                   "wait-for grep -qx sleep /proc/$!/comm"},
       .probe = {"grep -e ^Uid -e ^NoNewPrivs -e ^Cap /proc/$!/status; jobs -l"},
       .expect = "NoNewPrivs:\t1"},
      {.name = "ManyProcesses",
       .prepare = {"for i in $(seq 1 30); do sleep $((2000 + i)) & done > /dev/null 2>&1",
                   "wait-for sh -c '[ $(pgrep -cx sleep) = 30 ]'"},
       .probe = {"jobs -l", "pgrep -x sleep | md5sum; pgrep -cx sleep"},
       .expect = "sleep $((2000 + i))"},
      // The pid counter is far above the live processes, because processes came and went.
      {.name = "NextPid",
       .prepare = {"sleep 1000 &", "for i in {1..20}; do /bin/true; done"},
       .probe = {"sh -c 'echo $$'; sh -c 'echo $$'", "echo $(sh -c 'echo $$'); (echo $BASHPID)",
                 "/bin/true & echo $!; wait $!; sh -c 'echo $$'"},
       .expect = "\n",
       .asking = Asking::kOnce},
      {.name = "Niceness",
       .prepare = {"sleep 1000 &", "wait-for grep -q sleep /proc/$!/comm; renice 7 $! > /dev/null"},
       .probe = {"ps -o pid,ni,args -p $!"},
       .expect = "7"},
  };
}

}  // namespace sf::equivalence
