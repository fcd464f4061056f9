#include "service/shared_backends.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/fake_backend.h"
#include "testing/matchers.h"

namespace sf::service {
namespace {

using control::Backend;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(OpenEachTest, BackendWithoutAnInventoryStaysClosedAndIsRetried) {
  DaemonLog log{os::UniqueFd()};
  test::Fuse fuse;
  fuse.arm(0, test::Fuse::Mode::kFailOnce);
  auto make = [&](const std::string& name) -> Result<std::unique_ptr<Backend>> {
    if (name == "absent") return fail(ErrorCode::kUnsupported, "not on this host");
    test::FakeBackendOptions options;
    if (name == "failing") options.fuse = &fuse;
    auto backend = std::make_unique<test::FakeBackend>(options);
    return std::unique_ptr<Backend>(std::move(backend));
  };
  std::vector<std::string> opened;
  auto open = [&](const std::string& name, std::unique_ptr<Backend> backend,
                  const control::Inventory& has) {
    EXPECT_NE(backend, nullptr);
    EXPECT_THAT(has.live, IsEmpty());
    opened.push_back(name);
  };
  std::vector<std::string> closed = open_each({"absent", "failing", "sound"}, make, open, log);
  EXPECT_THAT(opened, ElementsAre("sound"));
  EXPECT_THAT(closed, ElementsAre("failing"));
  EXPECT_THAT(open_each(closed, make, open, log), IsEmpty());
  EXPECT_THAT(opened, ElementsAre("sound", "failing"));
}

}  // namespace
}  // namespace sf::service
