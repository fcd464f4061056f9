// A checkpoint after commands that changed nothing shares the previous one. It must restore the
// same state as a checkpoint of its own, and a command that changes anything must prevent sharing.
#include "unchanged_fixture.h"

namespace sf::waypoint {
namespace {

// Prints state that even a harmless command changes, and state that it must not change.
constexpr const char* kProbe =
    "echo \"$? [$_] $LINENO $!\"; history | tail -4; hash; echo $RANDOM; bash -c 'echo $$'; pwd; "
    "echo $x; declare -p | grep -v -e '^declare -a BASH_LINENO' | md5sum; set -o | md5sum; find /w "
    "-printf '%P %i %s %m %n\\n'";

class UnchangedStoreTest : public UnchangedTest {
 protected:
  std::vector<std::string> screen(const BranchId& branch) {
    auto shown = wp_->screen(branch, 100);
    return shown ? shown->rows : std::vector<std::string>{"no screen"};
  }
  void reopen() {
    auto again = Waypoint::open({.store_dir = dir_.path() + "/store"});
    ASSERT_TRUE(again.ok()) << again.error().describe();
    wp_.emplace(std::move(*again));
  }
  void expect_nothing_left() {
    for (const char* room : {"/store/checkpoints", "/store/drafts"}) {
      for (const auto& entry : std::filesystem::directory_iterator(dir_.path() + room))
        ADD_FAILURE() << entry.path() << " is left";
    }
  }
};

TEST_F(UnchangedStoreTest, SharedCheckpointRestoresItsOwnMoment) {
  CheckpointInfo first = begin();
  EXPECT_FALSE(first.base.has_value());
  for (const char* command :
       {"ls -l", "cat f; false", "grep one f | wc -l", "true", "echo 'it''s' \"two\nlines\"",
        "if true; then echo; fi", "git --version >/dev/null; test -d d", ":", "no-such-command",
        "cat <<E\nhere\nE", "(cd d; y=1; exit 3)", "cat f f", "grep -r one /w", "find /w",
        "ls -la d", "stat f", "ps aux | wc -l", "head -1 /fresh/../w/f", "echo $x a-last-word"}) {
    SCOPED_TRACE(command);
    look(branch_, command);
    CheckpointInfo alias = checkpoint(branch_);
    ASSERT_EQ(alias.base, first.id);
    EXPECT_EQ(alias.image_bytes, 0U);
    BranchId copy = fork(alias.id);
    EXPECT_EQ(screen(copy), screen(branch_));
    // The reference is the live branch, before it is restored to the alias.
    const std::string expected = look(branch_, kProbe);
    EXPECT_EQ(look(copy, kProbe), expected);
    ASSERT_TRUE(wp_->restore(branch_, alias.id).ok());
    EXPECT_EQ(look(branch_, kProbe), expected);
    ASSERT_TRUE(wp_->restore(branch_, alias.id).ok());
    ASSERT_TRUE(wp_->end(copy).ok());
  }
}

TEST_F(UnchangedStoreTest, ChainOfSharedCheckpointsHasOneBase) {
  CheckpointInfo first = begin();
  look(branch_, "ls");
  CheckpointInfo second = checkpoint(branch_);
  look(branch_, "pwd; false");
  ASSERT_TRUE(wp_->restore(branch_, second.id).ok());
  look(branch_, "cat f");
  CheckpointInfo third = checkpoint(branch_);
  EXPECT_EQ(third.base, first.id);
  EXPECT_EQ(third.parent, second.id);
  BranchId copy = fork(third.id);
  EXPECT_EQ(look(copy, kProbe), look(branch_, kProbe));
  look(branch_, "x=6");
  EXPECT_FALSE(checkpoint(branch_).base.has_value());
}

TEST_F(UnchangedStoreTest, CommandThatChangesStatePreventsSharing) {
  for (const char* command :
       {"x=6",
        "for i in 1 2; do :; done",
        "unset x",
        "declare -r y=1",
        "arr=(1 2)",
        "f() { :; }",
        "alias l=cat",
        "cd d",
        "umask 077",
        "ulimit -n 100",
        "set -u",
        "shopt -s extglob",
        "trap ls EXIT",
        "set -- a b",
        "exec 3< f",
        "exec 3<> d/new",
        "history -c",
        "history -s other",
        "HISTCONTROL=ignorespace",
        "echo $RANDOM",
        "complete -W a ls",
        "enable -n echo",
        "stty -echo",
        "chmod 700 /",
        "touch /",
        "touch -d 2000-01-01 /dev/null",
        "ulimit -f 1",
        "set -eC",
        "getopts v o -vvv",
        "SECONDS=0",
        "echo x > /proc/$$/comm",
        "chrt -b -p 0 $$",
        "trap x=6 USR1",
        "( (sleep .1; kill -INT $$) & )",
        "export x",
        "readonly x",
        "pushd d >/dev/null",
        "renice -n 5 $$ >/dev/null",
        "echo two > f",
        "touch f",
        "chmod 600 f",
        "chown 1 f",
        "ln f g",
        "ln -s f g",
        "mkfifo p",
        "rm f",
        "mv d e",
        "python3 -c 'import os; os.setxattr(\"f\", \"user.a\", b\"1\")'",
        "rm /etc/hostname",
        "truncate -s 0 /etc/motd || touch /etc/motd",
        "sleep 60 &",
        "(sleep 60 >/dev/null 2>&1 &)",
        "ipcmk -M 4096 >/dev/null",
        "hostname other",
        "PROMPT_COMMAND=:",
        "PS1='$ '",
        "trap : DEBUG",
        "mount -t tmpfs none d",
        "prlimit --pid $$ --nofile=64",
        "python3 -c \"import mmap; f=open('f','r+b'); m=mmap.mmap(f.fileno(),0); m[0]=65\"",
        "exit 3"}) {
    SCOPED_TRACE(command);
    begin({.extra_capabilities = {"sys_admin"}});
    look(branch_, command);
    EXPECT_FALSE(checkpoint(branch_).base.has_value());
    ASSERT_TRUE(wp_->end(branch_).ok());
  }
}

TEST_F(UnchangedStoreTest, KeysAndCommandsWithoutAFingerprintPreventSharing) {
  begin();
  ASSERT_TRUE(wp_->send_keys(branch_, ":\n").ok());
  EXPECT_FALSE(checkpoint(branch_).base.has_value());
  look(branch_, "ls");
  CheckpointInfo base = checkpoint(branch_);
  ASSERT_TRUE(wp_->exec(branch_, {.command = "ls"}).ok());
  EXPECT_FALSE(checkpoint(branch_).base.has_value());
  (void)base;
}

TEST_F(UnchangedStoreTest, RemovedBaseIsDeletedWithItsLastAlias) {
  CheckpointInfo base = begin();
  look(branch_, "ls");
  CheckpointInfo one = checkpoint(branch_);
  look(branch_, "pwd");
  CheckpointInfo two = checkpoint(branch_);
  ASSERT_EQ(two.base, base.id);
  ASSERT_TRUE(wp_->remove(base.id).ok());
  EXPECT_EQ(wp_->remove(base.id).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(wp_->restore(branch_, base.id).error().code, ErrorCode::kNotFound);
  const std::string expected = look(branch_, kProbe);
  ASSERT_TRUE(wp_->restore(branch_, two.id).ok());
  EXPECT_EQ(look(branch_, kProbe), expected);
  ASSERT_TRUE(wp_->end(branch_).ok());

  // The same after the store was closed and opened again.
  wp_.reset();
  reopen();
  BranchId copy = fork(two.id);
  EXPECT_EQ(look(copy, kProbe), expected);
  ASSERT_TRUE(wp_->remove(two.id).ok());
  copy = fork(one.id);
  EXPECT_EQ(look(copy, "x=$x; echo $x"), "5\n");
  ASSERT_TRUE(wp_->remove(one.id).ok());
  EXPECT_TRUE(wp_->checkpoints().empty());
  expect_nothing_left();
}

TEST_F(UnchangedStoreTest, InterruptedRemovalIsCompletedAtTheNextOpen) {
  CheckpointInfo base = begin();
  look(branch_, "ls");
  CheckpointInfo alias = checkpoint(branch_);
  ASSERT_EQ(alias.base, base.id);
  ASSERT_TRUE(wp_->remove(base.id).ok());
  ASSERT_TRUE(wp_->end(branch_).ok());
  wp_.reset();
  // The state after the first step of remove(alias): the alias is among the drafts, its base
  // unchanged.
  const std::string store = dir_.path() + "/store";
  std::filesystem::rename(store + "/checkpoints/" + alias.id.value(),
                          store + "/drafts/" + alias.id.value());
  reopen();
  EXPECT_TRUE(wp_->checkpoints().empty());
  expect_nothing_left();
}

}  // namespace
}  // namespace sf::waypoint
