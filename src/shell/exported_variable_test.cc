#include "shell/exported_variable.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "os/pipe.h"
#include "os/process.h"
#include "testing/matchers.h"

namespace sf::waypoint {
namespace {

// A bash that has printed what the script says, and waits.
class Bash {
 public:
  explicit Bash(const std::string& script) {
    os::Pipe output = os::make_pipe().value();
    input_ = os::make_pipe().value();
    auto child = os::spawn({.argv = {"/bin/bash", "-c", script},
                            .pass_fds = {{input_.read_end.get(), 0}, {output.write_end.get(), 1}}});
    EXPECT_OK(child);
    child_ = std::move(*child);
    output.write_end.reset();
    char byte = 0;
    EXPECT_EQ(::read(output.read_end.get(), &byte, 1), 1);
  }
  pid_t pid() const { return child_.pid(); }

 private:
  os::Pipe input_;
  os::Child child_;
};

TEST(ExportedVariableTest, VariableOfBashIsReadInEachProcess) {
  ExportedVariable loops("loop_level");
  ExportedVariable line("current_readline_line");
  const Bash plain("echo; read x");
  const Bash nested("for i in 1; do for j in 1; do echo; read x; done; done");
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(loops.value_in(plain.pid()), 0);
    EXPECT_EQ(loops.value_in(nested.pid()), 2);
    EXPECT_EQ(line.value_in(plain.pid()), 0);
  }
}

TEST(ExportedVariableTest, VariableThatIsNotExportedHasNoValue) {
  const Bash bash("echo; read x");
  EXPECT_EQ(ExportedVariable("no_such_variable").value_in(bash.pid()), std::nullopt);
  EXPECT_EQ(ExportedVariable("read_builtin").value_in(bash.pid()), std::nullopt);  // a function
  ExportedVariable loops("loop_level");
  EXPECT_EQ(loops.value_in(::getpid()), std::nullopt);
  EXPECT_EQ(loops.value_in(bash.pid()), 0);
  EXPECT_EQ(loops.value_in(-1), std::nullopt);
}

}  // namespace
}  // namespace sf::waypoint
