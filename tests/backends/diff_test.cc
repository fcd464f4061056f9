// The report of how two states of a session differ.
#include <map>

#include "world.h"

namespace sf::test {
namespace {

using control::DiffKind;
using control::DiffSubject;
using control::NodeId;
using control::StateDiff;
using control::StateDifference;

class DiffTest : public ::testing::Test {
 protected:
  using Found = std::map<std::string, StateDifference>;

  Found compare(const NodeId& from, std::optional<NodeId> to = std::nullopt) {
    Found found;
    std::optional<std::string_view> name;
    if (to) name = to->value();
    auto diff = world_.session().diff(kMain, from.value(), name);
    EXPECT_OK(diff);
    if (!diff) return found;
    EXPECT_FALSE(diff->truncated);
    for (StateDifference& d : diff->differences) found[d.name] = d;
    return found;
  }
  static std::string names(const Found& found) {
    std::string text;
    for (const auto& [name, difference] : found) text += name + "\n";
    return text;
  }

  World world_;
};

TEST_F(DiffTest, ChangedFilesAreReportedWithPatches) {
  world_.build("waypoint");
  world_.run("mkdir /root/d; echo one >/root/d/f; echo gone >/root/gone");
  NodeId before = world_.snapshot();
  world_.run("echo two >>/root/d/f; rm /root/gone; echo new >/root/new; chmod 600 /etc/fstab");
  NodeId after = world_.snapshot();
  Found found = compare(before, after);
  EXPECT_EQ(found["/root/d/f"].patch, "--- /root/d/f\n+++ /root/d/f\n@@ -1 +1,2 @@\n one\n+two\n");
  EXPECT_EQ(found["/root/gone"].kind, DiffKind::kRemoved);
  EXPECT_EQ(found["/root/new"].kind, DiffKind::kAdded);
  EXPECT_EQ(found["/etc/fstab"].kind, DiffKind::kChanged);  // only its metadata was copied
  EXPECT_EQ(found["/etc/fstab"].patch, "");
  EXPECT_EQ(found.size(), 4U) << names(found);
  EXPECT_TRUE(compare(before, before).empty());
}

TEST_F(DiffTest, DirectoriesOfTheBaseThatWereMovedOrReplacedAreFollowed) {
  world_.build("waypoint");
  NodeId before = world_.snapshot();
  world_.run("mv /etc/apt /etc/moved; rm -rf /etc/skel; mkdir /etc/skel; touch /etc/skel/own");
  Found found = compare(before);
  EXPECT_EQ(found["/etc/apt"].kind, DiffKind::kRemoved);
  EXPECT_EQ(found["/etc/apt/sources.list.d"].kind, DiffKind::kRemoved);
  EXPECT_EQ(found["/etc/moved/sources.list.d"].kind, DiffKind::kAdded);
  EXPECT_EQ(found["/etc/skel/.bashrc"].kind, DiffKind::kRemoved);
  EXPECT_EQ(found["/etc/skel/own"].kind, DiffKind::kAdded);
  EXPECT_FALSE(found.contains("/etc/passwd"));
}

TEST_F(DiffTest, ProcessesPortsEnvironmentAndDirectoryAreReported) {
  world_.build("waypoint");
  world_.run("export KEPT=1 CHANGED=old DROPPED=1; sleep 1001 & disown");
  NodeId before = world_.snapshot();
  world_.run("cd /usr; export CHANGED=new ADDED='a b'; unset DROPPED; pkill sleep");
  world_.run(
      "python3 -m http.server 8124 --bind 127.0.0.1 >/dev/null 2>&1 & disown; "
      "until (: </dev/tcp/127.0.0.1/8124) 2>/dev/null; do :; done");
  Found found = compare(before);
  EXPECT_EQ(found["sleep 1001"].kind, DiffKind::kRemoved);
  EXPECT_EQ(found["sleep 1001"].subject, DiffSubject::kProcess);
  EXPECT_EQ(found["python3 -m http.server 8124 --bind 127.0.0.1"].kind, DiffKind::kAdded)
      << names(found);
  EXPECT_EQ(found["tcp 127.0.0.1:8124"].subject, DiffSubject::kPort);
  EXPECT_EQ(found["CHANGED"].before, "\"old\"");
  EXPECT_EQ(found["CHANGED"].after, "\"new\"");
  EXPECT_EQ(found["DROPPED"].kind, DiffKind::kRemoved);
  EXPECT_EQ(found["ADDED"].kind, DiffKind::kAdded);
  EXPECT_FALSE(found.contains("KEPT"));
  EXPECT_EQ(found["cwd"].before, "/");
  EXPECT_EQ(found["cwd"].after, "/usr");
}

TEST_F(DiffTest, ComparingDisturbsNoProcessAndLeavesNothing) {
  world_.build("waypoint");
  world_.run("n=0; PROMPT_COMMAND='n=$((n+1))'");
  NodeId before = world_.snapshot();
  std::string first = world_.run("echo $n");
  compare(before);
  std::string second = world_.run("echo $n");
  EXPECT_EQ(std::stoi(second) - std::stoi(first), 1);
  EXPECT_TRUE(world_.disagreements().empty()) << world_.disagreements().front();
}

TEST_F(DiffTest, AFilesOnlyBackendReportsFilesAlone) {
  world_.build("overlay");
  NodeId before = world_.snapshot();
  world_.run("export X=1; cd /usr; sleep 1002 & disown; echo new >/root/new");
  Found found = compare(before);
  EXPECT_EQ(found["/root/new"].kind, DiffKind::kAdded);
  EXPECT_EQ(found.size(), 1U) << names(found);
}

TEST_F(DiffTest, VirtualNodesAreComparedByReplayingThem) {
  world_.build("replay");
  world_.run("echo one >/root/f");
  NodeId before = world_.snapshot();
  world_.run("echo two >/root/f; export X=1");
  NodeId after = world_.snapshot();
  Found found = compare(before, after);
  EXPECT_EQ(found["/root/f"].kind, DiffKind::kChanged);
  EXPECT_EQ(found["X"].kind, DiffKind::kAdded);
  EXPECT_EQ(found.size(), 2U) << names(found);
  EXPECT_TRUE(world_.disagreements().empty()) << world_.disagreements().front();
}

}  // namespace
}  // namespace sf::test
