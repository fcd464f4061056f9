// States that cannot be captured. The error names the process, the reason and the remedy; the
// branch continues unchanged, and after the remedy a checkpoint succeeds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "branch_state.h"
#include "fault_store.h"
#include "testing/matchers.h"

namespace sf::faults {
namespace {

using ::testing::HasSubstr;
using waypoint::BranchId;
using waypoint::CheckpointInfo;
using waypoint::Waypoint;

struct Refused {
  const char* name;
  std::string start;  // must leave the pid of the blocking process in $blocker
  std::string process;
  std::string what;
  std::string advice;
  std::vector<std::string> capabilities = {};
};

void PrintTo(const Refused& refused, std::ostream* out) { *out << refused.name; }

// A Python command; `call` is a system call that must succeed.
std::string in_python(const std::string& text) {
  return R"(mkfifo /tmp/ready; /usr/bin/python3 - <<'END' &
import ctypes, os, signal
libc = ctypes.CDLL(None, use_errno=True)
def call(*numbers):
    answer = libc.syscall(*numbers)
    if answer < 0: raise OSError(ctypes.get_errno(), "system call %d" % numbers[0])
    return answer
try:
    )" + text +
         R"(
    said = "ready"
except OSError as error:
    said = str(error)
with open("/tmp/ready", "w") as ready: ready.write(said + "\n")
while True: signal.pause()
END
blocker=$!; read -r said < /tmp/ready; [ "$said" = ready ] || { echo "$said"; false; })";
}

std::vector<Refused> refused_states() {
  return {
      {"Traced",
       R"(sleep 1000 & blocker=$!; until grep -qx sleep /proc/$blocker/comm; do :; done
strace -o /dev/null -p $blocker >/dev/null 2>&1 &
until grep -q '^TracerPid:.[1-9]' /proc/$blocker/status; do :; done)",
       "sleep", "traced by process ", "end the tracer"},
      {"NestedUserNamespace",
       R"sh(unshare --user sleep 1000 & blocker=$!
until [ "$(readlink /proc/$blocker/ns/user)" != "$(readlink /proc/$$/ns/user)" ] &&
  grep -qx sleep /proc/$blocker/comm; do :; done)sh",
       "sleep", "its own user namespace", "end that process"},
      {"NestedPidNamespace",
       R"(unshare --pid --fork sleep 1000 & parent=$!
until blocker=$(pgrep -P $parent -x sleep); do :; done)",
       "sleep",
       "its own PID namespace",
       "end that process",
       {"sys_admin"}},
      {"IoUring", in_python("call(425, 8, ctypes.create_string_buffer(120))"), "python3",
       "(io_uring)", "without io_uring"},
      {"Userfaultfd", in_python("call(323, os.O_CLOEXEC | 1)"), "python3", "(userfaultfd)",
       "end that process"},
      {"PerfEvent", in_python(R"(attr = ctypes.create_string_buffer(128)
    attr[0:16] = (1).to_bytes(4, "little") + (128).to_bytes(4, "little") + (1).to_bytes(8, "little")
    attr[40] = b"\x60"  # not the kernel, not the hypervisor
    call(298, attr, 0, -1, -1, 0))"),
       "python3", "(perf event)", "end that process"},
      {"Landlock", in_python("call(444, (1).to_bytes(8, 'little'), 8, 0)"), "python3",
       "(landlock ruleset)", "end that process"},
      {"SecretMemory", in_python("call(447, 0)"), "python3", "(secret memory)", "end that process"},
      {"BpfMap",
       in_python(R"(attr = b"".join(n.to_bytes(4, "little") for n in (2, 4, 8, 1)) + bytes(112)
    call(321, 0, attr, 128))"),
       "python3",
       "(BPF object)",
       "end that process",
       {"bpf"}},
      {"FuseServer",
       R"(mknod /dev/fuse c 10 229; mkdir /tmp/served
)" + in_python(R"(served = os.open("/dev/fuse", os.O_RDWR)
    options = "fd=%d,rootmode=40000,user_id=0,group_id=0" % served
    call(165, b"test", b"/tmp/served", b"fuse", 0, options.encode()))"),
       "python3",
       "(FUSE)",
       "unmount",
       {"mknod", "sys_admin"}},
  };
}  // namespace sf::faults

class RefusedCheckpointTest : public ::testing::TestWithParam<Refused> {
 protected:
  void SetUp() override {
    ASSERT_OK(store_.open());
    ASSERT_OK_AND_ASSIGN(branch_, manager().start({.extra_capabilities = GetParam().capabilities}));
    ASSERT_OK(put_word(manager(), branch_, "old"));
    ASSERT_OK_AND_ASSIGN(before_, manager().checkpoint(branch_));
    ASSERT_OK(put_word(manager(), branch_, "new"));
  }

  Waypoint& manager() { return store_.manager(); }
  std::string run(const std::string& command) {
    auto result = manager().exec(branch_, {.command = command, .timeout = seconds(20)});
    EXPECT_OK(result);
    if (!result) return "";
    EXPECT_EQ(result->exit_code, 0) << command << "\n" << result->output;
    return result->output;
  }
  void expect_word(const std::string& expected) {
    ASSERT_OK_AND_ASSIGN(std::string word, word_in(manager(), branch_));
    EXPECT_EQ(word, expected);
  }

  FaultStore store_;
  BranchId branch_;
  CheckpointInfo before_;
};

TEST_P(RefusedCheckpointTest, ErrorNamesProcessReasonAndRemedyAndTheBranchIsUnharmed) {
  const Refused& refused = GetParam();
  run(refused.start);
  std::string pid = run("echo $blocker");
  ASSERT_FALSE(HasFailure());
  pid.pop_back();

  auto checkpoint = manager().checkpoint(branch_);
  ASSERT_FALSE(checkpoint.ok());
  const Error& error = checkpoint.error();
  RecordProperty("error", error.describe());
  EXPECT_EQ(error.code, ErrorCode::kUnsupported) << error.describe();
  EXPECT_THAT(error.message, HasSubstr("process " + pid + " (" + refused.process + ")"));
  EXPECT_THAT(error.message, HasSubstr(refused.what));
  EXPECT_THAT(error.hint, HasSubstr(refused.advice));

  expect_word("new");
  run("kill -0 $blocker; grep -qv '^State:.[TtZX]' /proc/$blocker/status");
  run(R"(kill -9 $blocker $!; for job in $(jobs -p); do [ $job = $KEEP_PID ] || wait $job; done
umount /tmp/served 2>/dev/null; rm -f /dev/fuse)");
  ASSERT_OK_AND_ASSIGN(CheckpointInfo after, manager().checkpoint(branch_));
  ASSERT_OK(manager().restore(branch_, before_.id));
  expect_word("old");
  ASSERT_OK(manager().restore(branch_, after.id));
  expect_word("new");
  store_.expect_nothing_left_but({before_.id, after.id});
}

INSTANTIATE_TEST_SUITE_P(Each, RefusedCheckpointTest, ::testing::ValuesIn(refused_states()),
                         [](const ::testing::TestParamInfo<Refused>& each) {
                           return std::string(each.param.name);
                         });

}  // namespace
}  // namespace sf::faults
