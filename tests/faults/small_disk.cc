#include "small_disk.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>

#include "os/error.h"
#include "os/file.h"
#include "os/loop_device.h"
#include "os/mount.h"
#include "os/run_program.h"
#include "process_search.h"
#include "testing/matchers.h"
#include "testing/temp_dir.h"

namespace sf::faults {
namespace {

constexpr std::size_t kChunk = 1U << 20U;

}  // namespace

Status mount_new_disk(const std::string& image, std::uint64_t bytes, const std::string& at) {
  SF_TRY(os::write_file(image, ""));
  if (::truncate(image.c_str(), static_cast<off_t>(bytes)) != 0) return os::last_error(image);
  SF_TRY_ASSIGN(auto made, os::run_program({"/sbin/mkfs.ext4", "-q", "-m", "0", image},
                                           Deadline::after(seconds(60))));
  if (made.status.shell_code() != 0) return fail(ErrorCode::kOs, "mkfs.ext4: " + made.text);
  SF_TRY_ASSIGN(os::LoopDevice device, os::attach_loop(image));
  if (::mount(device.path.c_str(), at.c_str(), "ext4", 0, nullptr) != 0)
    return os::last_error("mounting " + device.path);
  return Ok{};
}

bool is_loop_attached(const std::string& image) {
  auto blocks = os::list_directory("/sys/block");
  if (!blocks) return false;
  for (const std::string& name : *blocks) {
    auto backing = os::read_file("/sys/block/" + name + "/loop/backing_file");
    if (backing && backing->starts_with(image + "\n")) return true;
  }
  return false;
}

void on_small_disk(std::uint64_t bytes, const std::function<void(const std::string& path)>& body) {
  test::TempDir dir("sf-small-disk");
  const std::string image = dir / "disk.ext4";
  const std::string at = dir / "disk";
  ASSERT_OK(os::make_directories(at));
  std::fflush(nullptr);
  pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    EXPECT_EQ(::unshare(CLONE_NEWNS), 0);
    EXPECT_OK(os::make_mounts_private());
    EXPECT_EQ(::mount("none", "/", nullptr, MS_REC | MS_SHARED, nullptr), 0);
    EXPECT_OK(mount_new_disk(image, bytes, at));
    if (!::testing::Test::HasFailure()) body(at);
    for (pid_t left : processes_like(at)) ::kill(left, SIGKILL);  // left by a failed test
    EXPECT_TRUE(
        becomes_true([&] { return ::umount2(at.c_str(), 0) == 0; }, Deadline::after(seconds(20))))
        << "something holds the disk";
    std::fflush(nullptr);
    ::_exit(::testing::Test::HasFailure() ? 1 : 0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "see the child's failures above";
}

void fill_up(const std::string& path) {
  os::UniqueFd file = os::open_file(path, O_WRONLY | O_CREAT | O_APPEND).value();
  const std::string chunk(kChunk, 'x');
  while (::write(file.get(), chunk.data(), chunk.size()) > 0) continue;
  while (::write(file.get(), chunk.data(), 4096) > 0) continue;
}

void leave_room(const std::string& path, std::uint64_t room) {
  os::UniqueFd file = os::open_file(path, O_WRONLY | O_CREAT).value();
  // Other processes may take space in the meantime.
  for (int tries = 0; tries < 100; ++tries) {
    std::uint64_t free = os::free_bytes(path).value();
    if (tries > 0 && free <= room) return;  // a failed attempt has used some of it
    ASSERT_GT(free, room);
    if (::fallocate(file.get(), 0, 0, static_cast<off_t>(free - room)) == 0) return;
    ASSERT_EQ(errno, ENOSPC);
  }
  FAIL() << "the free space keeps changing";
}

}  // namespace sf::faults
