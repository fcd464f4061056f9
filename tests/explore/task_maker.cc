#include "task_maker.h"

#include "os/file.h"
#include "testing/matchers.h"

namespace sf::test {
namespace {

constexpr const char* kDockerfile = R"(FROM debian:12
ARG WORD=built
ENV MODE=fast
WORKDIR /srv/app
COPY files/ .
COPY <<'END' /srv/notes
$MODE stays
END
RUN echo $WORD $MODE >>log && test -x tool.sh
)";

// The counter is in the memory of a process that all later steps use.
constexpr const char* kScript = R"({"candidates": [
  {"command": "rm data; cd /; MODE=slow", "value": 0.45, "reflection": "do not remove data"},
  {"command": "x=5; (n=0; mkfifo in out; while read w <in; do n=$((n+1)); echo $n $w >out; done) >/dev/null 2>&1 &\nuntil test -p out; do :; done; echo ready", "value": 0.5, "next": [
    {"command": "x=9; echo wasted >in; cat out; echo junk >>data", "value": 0.7},
    {"command": "echo $x $MODE >in; cat out >>data; tail -n 1 data", "value": 0.6, "next": [
      {"command": "echo $x >>data", "last": true, "value": 0.2},
      {"command": "echo last >in; cat out >>data; pwd >>data; kill %1", "last": true, "value": 0.8}
    ]}
  ]}
]})";

constexpr const char* kTest = R"(
printf 'first\n1 5 fast\n2 last\n/srv/app\n' | cmp - /srv/app/data || exit 1
grep -qx 'built fast' /srv/app/log || exit 1
grep -qx '$MODE stays' /srv/notes || exit 1
test ! -e /tests/../graded || exit 1
touch /graded
echo "PASSED tests::all of $TEST_DIR"
)";

constexpr const char* kSolution = R"(cd /srv/app
printf 'first\n1 5 fast\n2 last\n/srv/app\n' >data
)";

void write(const std::string& path, const std::string& text, mode_t mode = 0644) {
  ASSERT_OK(os::make_directories(path.substr(0, path.rfind('/')), 0755));
  ASSERT_OK(os::write_file(path, text, mode));
}

void write_context(const std::string& directory) {
  write(directory + "/Dockerfile", kDockerfile);
  write(directory + "/files/data", "first\n");
  write(directory + "/files/tool.sh", "#!/bin/sh\n", 0755);
}

}  // namespace

void make_terminal_bench_task(const std::string& directory) {
  write(directory + "/task.yaml",
        "instruction: |\n  Count with the process.\ndifficulty: easy\nmax_test_timeout_sec: 30\n");
  write_context(directory);
  write(directory + "/run-tests.sh", kTest);
  write(directory + "/tests/readme", "beside\n");
  write(directory + "/solution.sh", kSolution);
  write(directory + "/script.json", kScript);
}

void make_harbor_task(const std::string& directory) {
  write(directory + "/task.toml",
        "[verifier]\ntimeout_sec = 30\n[environment]\nbuild_timeout_sec = 60\n");
  write(directory + "/instruction.md", "Count with the process.\n");
  write_context(directory + "/environment");
  write(directory + "/tests/test.sh",
        "(\n" + std::string(kTest) + ")\necho $((1-$?)) >/logs/verifier/reward.txt\n");
  write(directory + "/solution/solve.sh", kSolution);
  write(directory + "/script.json", kScript);
}

}  // namespace sf::test
