// Large memory is captured incrementally and restored on first access. Every byte must be correct
// after any change that a process makes to its memory.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <map>
#include <random>

#include "../commands/fixture.h"
#include "engine/native/memory/page_map.h"
#include "os/file.h"

namespace sf::waypoint {
namespace {

class NativeMemoryTest : public CommandsTest {
 protected:
  void begin() {
    BranchConfig config;
    config.engine = EngineChoice::kNative;
    branch_ = start(config);
    auto program = os::read_file(SF_WALKER, 64U << 20U);
    ASSERT_TRUE(program.ok()) << program.error().describe();
    SideRequest install;
    install.argv = {"sh", "-c", "cat > /tmp/walker; chmod +x /tmp/walker; mkfifo /tmp/in /tmp/out"};
    install.user = "root";
    install.input = *program;
    auto installed = wp_->side_exec(branch_, install);
    ASSERT_TRUE(installed.ok()) << installed.error().describe();
    ask(branch_, "/tmp/walker < /tmp/in > /tmp/out & exec 8<>/tmp/in 9<>/tmp/out");
  }
  std::string ask(const BranchId& branch, const std::string& command) {
    auto result = wp_->exec(branch, {.command = command, .timeout = milliseconds(60'000)});
    EXPECT_TRUE(result.ok()) << command << ": " << (result ? "" : result.error().describe());
    return result ? result->output : "";
  }
  std::string walker(const BranchId& branch, const std::string& request) {
    std::string answer = ask(branch, "echo " + request + " >&8; read -r x <&9; echo $x");
    EXPECT_EQ(answer.size(), 17U) << answer;
    return answer;
  }
  CheckpointInfo checkpoint() {
    auto taken = wp_->checkpoint(branch_);
    EXPECT_TRUE(taken.ok()) << (taken ? "" : taken.error().describe());
    return taken ? *taken : CheckpointInfo{};
  }
  void restore(const CheckpointId& id) {
    Status restored = wp_->restore(branch_, id);
    EXPECT_TRUE(restored.ok()) << (restored ? "" : restored.error().describe());
  }
  BranchId fork(const CheckpointId& id) {
    auto made = wp_->fork(id, 1);
    EXPECT_TRUE(made.front().ok()) << (made.front() ? "" : made.front().error().describe());
    return made.front() ? *made.front() : BranchId();
  }
};

TEST_F(NativeMemoryTest, CheckpointHoldsOnlyMemoryChangedSinceThePreviousOne) {
  begin();
  std::string whole = walker(branch_, "more 40");
  CheckpointInfo first = checkpoint();
  EXPECT_GT(first.image_bytes, 40U << 20U);
  walker(branch_, "more 3");
  CheckpointInfo second = checkpoint();
  EXPECT_LT(second.image_bytes, 12U << 20U);
  restore(first.id);
  CheckpointInfo third = checkpoint();
  EXPECT_LT(third.image_bytes, 12U << 20U);
  // The third checkpoint does not depend on the others, although it shares pages with them.
  ASSERT_TRUE(wp_->remove(first.id).ok());
  ASSERT_TRUE(wp_->remove(second.id).ok());
  restore(third.id);
  EXPECT_EQ(walker(branch_, "hash"), whole);
}

TEST_F(NativeMemoryTest, ManyScatteredPagesAreFoundOnceAndInOrder) {
  constexpr std::size_t kPage = 4096;
  for (std::size_t count : {500U, 512U, 513U, 700U, 1024U, 1025U, 3000U}) {
    std::size_t size = 2 * count * kPage;
    void* location =
        ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(location, MAP_FAILED);
    ASSERT_EQ(::madvise(location, size, MADV_NOHUGEPAGE), 0);
    for (std::size_t i = 0; i < count; ++i) static_cast<char*>(location)[2 * i * kPage] = 1;
    auto map = native::PageMap::open(::getpid());
    ASSERT_TRUE(map.ok());
    auto start = reinterpret_cast<std::uint64_t>(location);
    auto found = map->changed({start, start + size});
    ASSERT_TRUE(found.ok()) << found.error().describe();
    ASSERT_EQ(found->size(), count);
    for (std::size_t i = 0; i < count; ++i) ASSERT_EQ((*found)[i].start, start + 2 * i * kPage);
    ::munmap(location, size);
  }
}

TEST_F(NativeMemoryTest, ChildForkedBeforeItsMemoryIsLoadedHasAllOfIt) {
  begin();
  std::string whole = walker(branch_, "more 40");
  CheckpointInfo taken = checkpoint();
  restore(taken.id);
  EXPECT_EQ(walker(branch_, "child"), whole);
  EXPECT_EQ(walker(branch_, "hash"), whole);
  restore(taken.id);
  CheckpointInfo again = checkpoint();  // before any restored page has been touched
  restore(again.id);
  EXPECT_EQ(walker(branch_, "child"), whole);
}

TEST_F(NativeMemoryTest, EveryByteIsCorrectOnARandomWalk) {
  const char* wanted = std::getenv("SF_STEPS");
  const int steps = wanted != nullptr ? std::atoi(wanted) : 60;
  begin();
  std::mt19937_64 chance(7);
  std::vector<std::pair<CheckpointId, std::string>> nodes;
  std::string now = walker(branch_, "walk 1 30");
  for (int i = 0; i < steps; ++i) {
    std::size_t node = nodes.empty() ? 0 : chance() % nodes.size();
    switch (chance() % 6) {
      case 0:
      case 1:
        now = walker(branch_, "walk " + std::to_string(chance() % 1000) + " 12");
        break;
      case 2:
        nodes.emplace_back(checkpoint().id, now);
        break;
      case 3:
        if (nodes.empty()) break;
        restore(nodes[node].first);
        now = nodes[node].second;
        // Check only half of the time, so that some pages are changed before they are read.
        if (chance() % 2 == 0) {
          ASSERT_EQ(walker(branch_, "hash"), now) << "step " << i;
        }
        break;
      case 4: {
        if (nodes.empty()) break;
        BranchId other = fork(nodes[node].first);
        ASSERT_EQ(walker(other, chance() % 2 == 0 ? "child" : "hash"), nodes[node].second)
            << "step " << i;
        ASSERT_TRUE(wp_->end(other).ok());
        break;
      }
      default:
        ASSERT_EQ(walker(branch_, "child"), now) << "step " << i;
        if (nodes.size() < 6) break;
        ASSERT_TRUE(wp_->remove(nodes[node].first).ok());
        nodes.erase(nodes.begin() + static_cast<std::ptrdiff_t>(node));
    }
    ASSERT_FALSE(HasFailure()) << "step " << i;
  }
  ASSERT_EQ(walker(branch_, "hash"), now);
  for (const auto& [id, hash] : nodes) {
    restore(id);
    ASSERT_EQ(walker(branch_, "hash"), hash);
  }
}

}  // namespace
}  // namespace sf::waypoint
