#include "control/replay_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/matchers.h"

namespace sf::control {
namespace {

using ::testing::HasSubstr;

Observation observed(std::string output, int exit_code = 0) {
  Observation seen{.exit_code = exit_code, .output = std::move(output)};
  seen.output_bytes = seen.output.size();
  seen.duration = milliseconds(3);
  return seen;
}

ReplayStep recorded(const Observation& seen) {
  return {NodeId("n4"), 2, finished_entry(begun_entry({.command = "make"}), seen)};
}

TEST(ReplayCheckTest, EqualObservationDoesNotDivergeWhateverItsDuration) {
  Observation again = observed("ok\n", 3);
  again.duration = milliseconds(900);
  again.background = "something else\n";
  EXPECT_FALSE(check_replay(recorded(observed("ok\n", 3)), again).has_value());
}

TEST(ReplayCheckTest, ADifferentStatusOutputOrTimeOutDiverges) {
  ReplayStep step = recorded(observed("ok\n"));
  EXPECT_TRUE(check_replay(step, observed("ok\n", 1)).has_value());
  EXPECT_TRUE(check_replay(step, observed("no\n")).has_value());
  Observation late = observed("ok\n");
  late.timed_out = true;
  EXPECT_TRUE(check_replay(step, late).has_value());
}

TEST(ReplayCheckTest, DifferenceInTheMiddleOfALongOutputIsDetected) {
  std::string text(100'000, 'a');
  ReplayStep step = recorded(observed(text));
  text[50'000] = 'b';
  auto divergence = check_replay(step, observed(text));
  ASSERT_TRUE(divergence.has_value());
  EXPECT_LE(divergence->observed.output.size(), kMaxKeptOutput + 64) << "the excerpt is bounded";
}

TEST(ReplayCheckTest, DifferenceInTruncatedOutputIsDetectedByItsSize) {
  Observation cut = observed("head tail");
  cut.output_bytes = 5000;
  Observation longer = cut;
  longer.output_bytes = 5001;
  EXPECT_TRUE(check_replay(recorded(cut), longer).has_value());
}

TEST(ReplayCheckTest, DifferenceInTruncatedOutputIsDetectedByItsHash) {
  Observation cut = observed("head tail");
  cut.output_bytes = 5000;
  cut.truncated = true;
  cut.raw_hash = 17;
  const ReplayStep step = recorded(cut);
  EXPECT_FALSE(check_replay(step, cut).has_value());
  EXPECT_FALSE(was_partly_recorded(step.entry, cut));
  cut.raw_hash = 18;
  EXPECT_TRUE(check_replay(step, cut).has_value());
}

TEST(ReplayCheckTest, TruncatedOutputOfVersion010IsComparedByKeptPartAndSize) {
  Observation cut = observed("head tail");
  cut.output_bytes = 5000;
  cut.truncated = true;
  cut.raw_hash = 17;
  ReplayStep step = recorded(cut);
  step.entry.output_hash = hash_text("head tail");  // version 0.1.0 hashed the kept part only
  EXPECT_FALSE(check_replay(step, cut).has_value());
  EXPECT_TRUE(was_partly_recorded(step.entry, cut));
  cut.output_bytes = 5001;
  EXPECT_TRUE(check_replay(step, cut).has_value());
  cut.output_bytes = 5000;
  cut.output = "head tale";
  EXPECT_TRUE(check_replay(step, cut).has_value());
}

TEST(ReplayCheckTest, StateDifferenceNamesTheNodeAndTheDifferenceButNoCommand) {
  EXPECT_FALSE(check_state(NodeId("n4"), "files:1 shell:2", "files:1 shell:2").has_value());
  auto files = check_state(NodeId("n4"), "files:1 shell:2", "files:3 shell:2");
  ASSERT_TRUE(files.has_value());
  EXPECT_EQ(files->command, "");
  Error error = to_error(*files);
  EXPECT_THAT(error.message, HasSubstr("replaying node n4 diverged: its files differ"));
  EXPECT_THAT(error.message, HasSubstr("every output and exit status is the same"));
  EXPECT_EQ(divergence_of(error), files);
  auto shell = check_state(NodeId("n4"), "files:1 shell:2", "files:1 shell:3");
  EXPECT_EQ(shell->state, "its shell's state differs");
  EXPECT_TRUE(are_comparable("files:1", "files:2"));
  EXPECT_TRUE(are_comparable("format:2 files:1", "format:2 files:2"));
  EXPECT_FALSE(are_comparable("format:1 files:1", "format:2 files:1"));
  EXPECT_FALSE(are_comparable("files:1", "format:1 files:1"));
  auto both = check_state(NodeId("n4"), "files:1 shell:2", "files:2 shell:3");
  EXPECT_EQ(both->state, "its files and its shell's state differ");
}

TEST(ReplayCheckTest, ErrorCarriesTheWholeDivergence) {
  auto divergence = check_replay(recorded(observed("5\n")), observed("6\n", 1));
  ASSERT_TRUE(divergence.has_value());
  divergence->step = 7;
  Error error = to_error(*divergence);
  EXPECT_EQ(error.code, ErrorCode::kDiverged);
  EXPECT_THAT(error.message, HasSubstr("'make'"));
  EXPECT_THAT(error.message, HasSubstr("exited 1 instead of 0"));
  EXPECT_EQ(divergence_of(error), divergence);
  EXPECT_EQ(divergence_of(std::move(error).while_doing("restoring n4")), divergence);
}

TEST(ReplayCheckTest, OtherErrorsCarryNoDivergence) {
  EXPECT_FALSE(divergence_of(fail(ErrorCode::kOs, "x")).has_value());
  EXPECT_FALSE(divergence_of(fail(ErrorCode::kDiverged, "without details")).has_value());
}

TEST(CommandLogTest, ReplayRequestRepeatsTheRecordedRequest) {
  ExecRequest request{.command = "x", .timeout = milliseconds(77), .max_output = 9};
  LogEntry entry = begun_entry(request);
  ExecRequest again = replay_request(entry);
  EXPECT_EQ(again.command, "x");
  EXPECT_GT(again.timeout, milliseconds(77)) << "the host may be slower now";
  entry.timed_out = true;
  EXPECT_EQ(replay_request(entry).timeout, milliseconds(77));
  request.timeout = milliseconds(0);
  EXPECT_EQ(replay_request(begun_entry(request)).timeout, milliseconds(0)) << "none";
  EXPECT_EQ(again.max_output, 9U);
  EXPECT_EQ(replay_size(resize_entry(24, 80)),
            std::make_pair(std::uint16_t{24}, std::uint16_t{80}));
}

TEST(CommandLogTest, BegunEntryIsNotReplayableUntilItIsFinished) {
  LogEntry entry = begun_entry({.command = "x"});
  EXPECT_FALSE(is_replayable(entry));
  EXPECT_TRUE(is_replayable(finished_entry(entry, observed(""))));
  EXPECT_FALSE(is_replayable(keys_entry("q")));
  EXPECT_TRUE(is_replayable(resize_entry(1, 1)));
}

TEST(CommandLogTest, ExcerptKeepsBothEndsAndStatesTheOmittedSize) {
  EXPECT_EQ(bounded_excerpt("short", 10), "short");
  EXPECT_EQ(bounded_excerpt("abcdefghijkl", 4), "ab\n[8 bytes left out]\nkl");
}

}  // namespace
}  // namespace sf::control
