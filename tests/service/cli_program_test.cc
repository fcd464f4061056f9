// The program `statefork`: its libraries, its connection to the daemon, and the exec of
// `statefork-full` for commands that need more.
#include <elf.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <nlohmann/json.hpp>
#include <thread>

#include "daemon_world.h"
#include "os/file.h"
#include "os/run_program.h"
#include "os/socket.h"
#include "relay.h"

namespace sf::test {
namespace {

constexpr std::size_t kMaxProgram = 512U << 20U;  // including debug symbols
const std::string kProgram = SF_PROGRAM;
const std::string kDirectory = kProgram.substr(0, kProgram.rfind('/'));

template <typename T>
T at(const std::string& bytes, std::size_t offset) {
  T value{};
  if (offset + sizeof value <= bytes.size())
    std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

// Shared libraries required by an ELF file (DT_NEEDED).
std::vector<std::string> needed_libraries(const std::string& elf) {
  const auto head = at<Elf64_Ehdr>(elf, 0);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < head.e_shnum; ++i) {
    const auto section = at<Elf64_Shdr>(elf, head.e_shoff + i * head.e_shentsize);
    if (section.sh_type != SHT_DYNAMIC) continue;
    const auto texts = at<Elf64_Shdr>(elf, head.e_shoff + section.sh_link * head.e_shentsize);
    for (std::size_t offset = 0; offset < section.sh_size; offset += sizeof(Elf64_Dyn)) {
      const auto entry = at<Elf64_Dyn>(elf, section.sh_offset + offset);
      if (entry.d_tag == DT_NEEDED)
        names.emplace_back(elf.c_str() + texts.sh_offset + entry.d_un.d_val);
    }
  }
  return names;
}

CommandRun run(std::vector<std::string> argv) {
  TempDir dir;
  argv.insert(argv.begin(), {"/bin/sh", "-c", "exec \"$@\" 2>" + dir.path() + "/err", "sh"});
  auto ran = os::run_program(argv, Deadline::after(seconds(60)));
  EXPECT_OK(ran);
  auto err = os::read_file(dir / "err");
  return ran ? CommandRun{ran->status.shell_code(), ran->text, err ? *err : ""} : CommandRun{};
}

void copy_program(const std::string& to) {
  auto bytes = os::read_file(kProgram, kMaxProgram);
  ASSERT_OK(bytes);
  ASSERT_OK(os::write_file(to, *bytes));
  ASSERT_EQ(::chmod(to.c_str(), 0755), 0);
}

TEST(CliProgramTest, LinksNoLibraryOfTheOtherCommands) {
  auto elf = os::read_file(kProgram, kMaxProgram);
  ASSERT_OK(elf);
  ASSERT_TRUE(elf->starts_with(ELFMAG));
  for (const std::string& library : needed_libraries(*elf)) {
    bool is_usual = false;
    for (const char* usual : {"libc.so", "libm.so", "libstdc++.so", "libgcc_s.so", "ld-linux",
                              "libasan.so", "libubsan.so", "libtsan.so", "libgcov"})
      is_usual = is_usual || library.starts_with(usual);
    EXPECT_TRUE(is_usual) << library;
  }
  // Statically linked libraries would leave these symbols.
  for (const char* symbol : {"curl_easy_init", "sqlite3_open", "archive_read_new", "SSL_connect",
                             "YAML", "vterm_new", "httplib"})
    EXPECT_EQ(elf->find(symbol), std::string::npos) << symbol;
  auto full = os::read_file(kDirectory + "/statefork-full", kMaxProgram);
  ASSERT_OK(full);
  EXPECT_NE(full->find("curl_easy_init"), std::string::npos) << "the symbol search above is void";
}

TEST(CliProgramTest, CommandUsesARunningDaemonOverOneConnection) {
  DaemonWorld world;
  world.output({"new", "--name", "s"});
  const pid_t daemon = world.daemon_pid();
  Relay relay(world.socket());
  int expected = 0;
  for (std::vector<std::string> words : {std::vector<std::string>{"exec", "s", "--", "echo hello"},
                                         {"ls"},
                                         {"snapshot", "s"},
                                         {"tree", "s"},
                                         {"fork", "s"},
                                         {"stats"},
                                         {"restore", "s", "n1"},
                                         {"exec", "s", "--", "false"},
                                         {"new", "--name", "t"},
                                         {"rm", "t"}}) {
    std::vector<std::string> argv{kProgram, words.front(), "--socket", relay.socket()};
    argv.insert(argv.end(), words.begin() + 1, words.end());
    const CommandRun ran = run(argv);
    EXPECT_EQ(ran.status, words.back() == "false" ? 1 : 0) << words.front() << ": " << ran.err;
    EXPECT_EQ(relay.connections(), ++expected) << words.front();
  }
  EXPECT_FALSE(os::exists(relay.socket() + ".start")) << "a client tried to start a daemon";
  EXPECT_EQ(world.daemon_pid(), daemon);
  EXPECT_EQ(world.running_daemons(), 1U);
}

TEST(CliProgramTest, TheFirstCommandStartsADaemon) {
  DaemonWorld world;
  EXPECT_EQ(world.output({"ls", "--json"}), "{\n  \"sessions\": []\n}");
  EXPECT_EQ(world.running_daemons(), 1U);
}

// A child that a killed daemon had just forked holds its socket for a moment longer.
TEST(CliProgramTest, NewDaemonStartsIfTheOldOneEndsBeforeItAccepts) {
  DaemonWorld world;
  auto listener = os::listen_unix(world.socket(), 0600);
  ASSERT_OK(listener);
  std::thread dies([&] {
    auto called = os::wait_readable(listener->get(), Deadline::after(seconds(20)));
    EXPECT_TRUE(called && *called);
    listener->reset();
  });
  world.output({"ls"});
  dies.join();
  EXPECT_EQ(world.running_daemons(), 1U);
}

TEST(CliProgramTest, AWrongCommandLineStartsNoDaemon) {
  TempDir dir;
  const CommandRun ran = run({kProgram, "exec", "s", "--socket", dir / "d/s.sock"});
  EXPECT_EQ(ran.status, 125);
  EXPECT_NE(ran.err.find("the command is missing"), std::string::npos) << ran.err;
  EXPECT_FALSE(os::exists(dir / "d"));
}

TEST(CliProgramTest, OtherCommandsAreFoundThroughThePath) {
  const CommandRun ran =
      run({"/usr/bin/env", "PATH=" + kDirectory + ":/usr/bin:/bin", "statefork", "root", "--help"});
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_NE(ran.out.find("Usage: statefork root"), std::string::npos) << ran.out;
}

TEST(CliProgramTest, OtherCommandsAreFoundThroughASymbolicLink) {
  TempDir dir;
  ASSERT_EQ(::symlink(kProgram.c_str(), (dir / "sf").c_str()), 0);
  const CommandRun ran = run({dir / "sf", "root", "ls", "--json", "--state", dir / "state"});
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(ran.out, "{\n  \"roots\": []\n}\n");
}

TEST(CliProgramTest, OtherCommandsAreFoundInLibexecOfAnInstallation) {
  TempDir dir;
  ASSERT_OK(os::make_directories(dir / "bin", 0755));
  ASSERT_OK(os::make_directories(dir / "libexec/statefork", 0755));
  copy_program(dir / "bin/statefork");
  const std::string full = kDirectory + "/statefork-full";
  ASSERT_EQ(::symlink(full.c_str(), (dir / "libexec/statefork/statefork-full").c_str()), 0);
  const CommandRun ran = run({dir / "bin/statefork", "--version"});
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_TRUE(ran.out.starts_with("statefork ")) << ran.out;
}

TEST(CliProgramTest, ExitStatusAndErrorsOfOtherCommandsAreTheirOwn) {
  EXPECT_EQ(run({kProgram, "root", "melt"}).status, 2);
  EXPECT_EQ(run({kProgram, "replay", "/nonexistent"}).status, 1);
  const CommandRun ran = run({kProgram, "replay", "/nonexistent", "--json"});
  EXPECT_TRUE(wire::Json::parse(ran.err, nullptr, false).is_object()) << ran.err;
}

TEST(CliProgramTest, AMissingProgramIsNamedWithTheNextStep) {
  TempDir dir;
  copy_program(dir / "statefork");
  for (const char* command : {"doctor", "explore", "root", "new", "man", "--help"}) {
    const CommandRun ran = run({dir / "statefork", command});
    EXPECT_EQ(ran.status, 1) << command;
    EXPECT_EQ(ran.err, "statefork: " + (dir / "statefork-full") +
                           " is missing\n  hint: install it beside `statefork`\n");
  }
  const CommandRun ran = run({dir / "statefork", "doctor", "--json"});
  const auto problem = wire::Json::parse(ran.err, nullptr, false);
  ASSERT_TRUE(problem.is_object()) << ran.err;
  EXPECT_EQ(problem["code"], "not_found");
}

TEST(CliProgramTest, CommandsOfTheDaemonWorkWithoutTheOtherProgram) {
  DaemonWorld world;
  world.output({"ls"});
  TempDir dir;
  copy_program(dir / "statefork");
  const CommandRun ran = run({dir / "statefork", "ls", "--socket", world.socket()});
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(run({dir / "statefork", "exec", "--help"}).status, 0);
}

}  // namespace
}  // namespace sf::test
