#include "service/lifetimes.h"

#include <gtest/gtest.h>

namespace sf::service {
namespace {

using control::WallTime;

const WallTime kBorn{microseconds(1'000'000'000)};

TEST(SessionUseTest, SessionWithoutTermsNeverExpires) {
  SessionUse use(kBorn, {});
  EXPECT_EQ(use.ending(kBorn + seconds(1'000'000'000), Clock::now() + seconds(1'000'000)),
            Ending::kNone);
}

TEST(SessionUseTest, TimeToLiveCountsFromTheCreationEvenInUse) {
  SessionUse use(kBorn, {.ttl = seconds(10)});
  use.begin();
  EXPECT_EQ(use.ending(kBorn + seconds(9), Clock::now()), Ending::kNone);
  EXPECT_EQ(use.ending(kBorn + seconds(10), Clock::now()), Ending::kTtl);
}

TEST(SessionUseTest, IdleTimeCountsFromTheEndOfTheLastUse) {
  SessionUse use(kBorn, {.idle = seconds(10)});
  Clock::time_point later = Clock::now() + seconds(100);
  EXPECT_EQ(use.ending(kBorn, later), Ending::kIdle);
  use.begin();
  use.begin();
  use.end();
  EXPECT_EQ(use.ending(kBorn, later), Ending::kNone) << "one of two users is left";
  use.end();
  EXPECT_EQ(use.ending(kBorn, Clock::now() + seconds(9)), Ending::kNone);
  EXPECT_EQ(use.ending(kBorn, Clock::now() + seconds(11)), Ending::kIdle);
}

TEST(SessionUseTest, ClockThatIsSetBackEndsNothingEarly) {
  SessionUse use(kBorn, {.ttl = seconds(10)});
  EXPECT_EQ(use.ending(kBorn - seconds(1000), Clock::now()), Ending::kNone);
}

}  // namespace
}  // namespace sf::service
