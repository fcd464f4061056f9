// Tasks in the formats of Terminal-Bench and Harbor, built and solved by their own solutions.
#include <sys/stat.h>

#include "explore_world.h"
#include "os/file.h"

namespace sf::test {
namespace {

class TaskFormatsTest : public ExploreWorld {
 protected:
  // Makes a task with this Dockerfile and these tests.
  void make(const std::string& dockerfile, const std::string& tests) {
    write("Dockerfile", dockerfile);
    write("run-tests.sh", tests);
  }
  void write(const std::string& name, const std::string& text) {
    const std::string path = task() + "/" + name;
    ASSERT_OK(os::make_directories(path.substr(0, path.rfind('/')), 0755));
    ASSERT_OK(os::write_file(path, text, 0644));
  }
};

TEST_F(TaskFormatsTest, OracleSolvesTheTask) {
  const std::string harbor = dir_ / "harbor";
  make_harbor_task(harbor);
  for (const std::string& directory : {task(), harbor}) {
    const CommandRun ran = run_oracle(directory);
    EXPECT_EQ(ran.status, 0) << directory << ": " << ran.out << ran.err;
  }
}

TEST_F(TaskFormatsTest, HarborSolutionGetsItsFilesAndVariablesUnrecorded) {
  const std::string harbor = dir_ / "harbor";
  make_harbor_task(harbor);
  auto write_to = [&](const std::string& name, const std::string& text) {
    ASSERT_OK(os::make_directories((harbor + name).substr(0, (harbor + name).rfind('/')), 0755));
    ASSERT_OK(os::write_file(harbor + name, text, 0644));
  };
  write_to("/task.toml",
           "[solution.env]\nWORD = \"pass word\"\nHOME_OF = \"${HOST_HOME:-/srv}\"\n");
  write_to("/solution/lib/part.sh",
           "test \"$WORD\" = pass\" \"word && echo \"it is in $HOME_OF\" >/srv/app/said\n");
  write_to("/solution/solve.sh", ". \"$(dirname \"$0\")/lib/part.sh\"\n");
  write_to("/tests/test.sh",
           "grep -qx 'it is in /srv' /srv/app/said\necho $((1-$?)) >/logs/verifier/reward.txt\n");
  const std::string directory = out();
  const CommandRun ran = run_oracle(harbor, directory);
  EXPECT_EQ(ran.status, 0) << ran.out << ran.err;
  for (const char* name : {"/journal.jsonl", "/tree.json", "/report.html"}) {
    ASSERT_OK_AND_ASSIGN(std::string text, os::read_file(directory + name));
    EXPECT_EQ(text.find("pass word"), std::string::npos) << name;
  }

  // Other agents cannot read the solution in their branch.
  ASSERT_OK(os::write_file(dir_ / "look.json", R"({"candidates": [
    {"command": "test ! -e /solution && test ! -e /oracle && echo 'it is in /srv' >said",
     "last": true}]})"));
  const CommandRun other =
      world_.run({"explore", harbor, "--root", "/", "--agent", "script:" + dir_ / "look.json",
                  "--policy", "pass@k", "--attempts", "1", "--out", out(), "--json"});
  EXPECT_EQ(other.status, 0) << other.out << other.err;
  EXPECT_EQ(json_of(other)["session"], json_of(ran)["session"]);
  const CommandRun mixed =
      world_.run({"explore", "--resume", directory, "--agent", "script:" + dir_ / "look.json"});
  EXPECT_EQ(mixed.status, 1) << "it would find the solution";
}

// A program that reads single keys replaces an editor: the keys must reach that program, not the
// shell.
TEST_F(TaskFormatsTest, KeysOfASolutionReachTheRunningProgram) {
  ASSERT_EQ(std::remove((task() + "/solution.sh").c_str()), 0);
  make("FROM x\nWORKDIR /srv/app\nCOPY keys.sh .\n",
       "test \"$(cat /srv/app/keys)\" = 'touch x' && test ! -e /srv/app/x && "
       "grep -qx 'after /srv/app' /srv/app/last\n");
  write("keys.sh", "IFS= read -r -n 7 keys\necho \"$keys\" >keys\n");
  // The program reads the first seven characters; the shell reads the rest.
  write("solution.yaml",
        "- command: bash keys.sh\n"
        "- command: touch x\n  append_enter: false\n"
        "- command: echo after $PWD >last\n  block: true\n  max_timeout_sec: 30\n");
  const CommandRun ran = run_oracle(task());
  EXPECT_EQ(ran.status, 0) << ran.out << ran.err;
}

TEST_F(TaskFormatsTest, TypedSolutionNamesTheMissingPackage) {
  ASSERT_EQ(std::remove((task() + "/solution.sh").c_str()), 0);
  make("FROM x\nRUN rm -f /usr/bin/tmux /bin/tmux\n", "true\n");
  write("solution.yaml", "- command: vi a\n");
  const CommandRun ran = run_oracle(task());
  EXPECT_EQ(ran.status, 1) << "no search has begun: " << ran.out;
  EXPECT_NE(ran.err.find("needs the package tmux"), std::string::npos) << ran.err;
}

TEST_F(TaskFormatsTest, FilesInDockerignoreAreNotCopied) {
  make("FROM x\nCOPY . /srv/all/\nCOPY files /srv/files/\n",
       "cd /srv/all && test \"$(find . -type f | sort | tr '\\n' ' ')\" = "
       "'./Dockerfile ./files/keep.log ./run-tests.sh ' && test \"$(ls /srv/files)\" = keep.log\n");
  write(".dockerignore", "# not for everybody\n*\n!Dockerfile\n!run-tests.sh\n!files/keep.log\n");
  write("files/drop.log", "x");
  write("files/keep.log", "x");
  write("secret/key", "x");
  write("solution.sh", "true\n");
  const CommandRun ran = run_oracle(task());
  EXPECT_EQ(ran.status, 0) << ran.out << ran.err;

  make("FROM x\nCOPY secret/key /srv/\n", "true\n");
  const CommandRun hidden = run_oracle(task());
  EXPECT_EQ(hidden.status, 1);
  EXPECT_NE(hidden.err.find(".dockerignore"), std::string::npos) << hidden.err;
}

TEST_F(TaskFormatsTest, LargeFilesAreCopiedWhole) {
  constexpr std::size_t kSize = 20U << 20U;
  std::string bytes(kSize, '\0');
  for (std::size_t i = 0; i < kSize; ++i) bytes[i] = static_cast<char>((i * i) >> 7U);
  write("files/large", bytes);
  ASSERT_EQ(::chmod((task() + "/files/large").c_str(), 0640), 0);
  make("FROM x\nCOPY files/large /srv/data/large\nCOPY files/large /srv/again\n",
       "cd /srv/data && test \"$(stat -c '%s %a' large)\" = '" + std::to_string(kSize) +
           " 640' && cmp large /srv/again && cmp large /tests/large && test \"$(ls)\" = large\n");
  write("tests/large", bytes);
  write("solution.sh", "true\n");
  const CommandRun ran = run_oracle(task());
  EXPECT_EQ(ran.status, 0) << ran.out << ran.err;
}

}  // namespace
}  // namespace sf::test
