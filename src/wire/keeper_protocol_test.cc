#include "wire/keeper_protocol.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "testing/matchers.h"
#include "wire/message_fields.h"

namespace sf::wire {
namespace {

const std::string kBinary = std::string("\0\xff\n{}", 5);

// The frame after encoding and decoding.
template <typename Message>
Frame sent(const Message& message) {
  FrameReader reader;
  reader.feed(encode_frame(to_frame(message)));
  return *reader.next().value();
}

// Expects that a missing key or a wrong type is an error that names the key.
template <typename Message>
void expect_strict(const Message& message) {
  const Frame good = to_frame(message);
  for (const auto& [key, value] : good.header.items()) {
    if (key == "op") continue;
    Frame missing = good;
    missing.header.erase(key);
    auto read = from_frame<Message>(missing);
    ASSERT_FALSE(read.ok()) << key;
    EXPECT_EQ(read.error().code, ErrorCode::kCorrupt);
    EXPECT_NE(read.error().message.find(key), std::string::npos) << read.error().message;
    Frame wrong = good;
    wrong.header[key] = Json::array({1.5});
    EXPECT_FALSE(from_frame<Message>(wrong).ok()) << key;
  }
}

ExecCall full_exec() {
  return {{.command = kBinary,
           .timeout = milliseconds(0),
           .max_output = std::numeric_limits<std::size_t>::max(),
           .raw = true,
           .fingerprint = true,
           .always_fingerprint = true},
          true};
}

TEST(ExecCallTest, EveryFieldSurvivesARoundTrip) {
  const ExecCall call = full_exec();
  ASSERT_OK_AND_ASSIGN(ExecCall back, from_frame<ExecCall>(sent(call)));
  EXPECT_EQ(back.request.command, call.request.command);
  EXPECT_EQ(back.request.timeout, call.request.timeout);
  EXPECT_EQ(back.request.max_output, call.request.max_output);
  EXPECT_TRUE(back.request.raw && back.request.fingerprint && back.request.always_fingerprint);
  EXPECT_TRUE(back.stream);
}

TEST(ExecCallTest, MissingOrWrongKeyIsNamedInTheError) { expect_strict(full_exec()); }

TEST(ExecCallTest, RequestFrameContainsItsOperationName) {
  EXPECT_EQ(to_frame(full_exec()).header.at("op"), "exec");
  EXPECT_EQ(to_frame(EndCall{}).header, Json({{"op", "end"}}));
}

Observation full_observation() {
  return {.exit_code = 137,
          .output = kBinary + "output",
          .raw = "\x1b[31mraw" + kBinary,
          .background = kBinary,
          .output_bytes = 1ULL << 40U,
          .raw_hash = std::numeric_limits<std::uint64_t>::max(),
          .duration = microseconds(1'234'567),
          .timed_out = true,
          .truncated = true,
          .shell_restarted = true,
          .left_background = true};
}

TEST(ObservationFrameTest, TextsInThePayloadSurviveARoundTrip) {
  const Observation seen = full_observation();
  ASSERT_OK_AND_ASSIGN(Observation back, from_frame<Observation>(sent(seen)));
  EXPECT_EQ(back.exit_code, seen.exit_code);
  EXPECT_EQ(back.output, seen.output);
  EXPECT_EQ(back.raw, seen.raw);
  EXPECT_EQ(back.background, seen.background);
  EXPECT_EQ(back.duration, seen.duration);
  EXPECT_EQ(back.output_bytes, seen.output_bytes);
  EXPECT_EQ(back.raw_hash, seen.raw_hash);
  EXPECT_TRUE(back.timed_out && back.truncated && back.shell_restarted && back.left_background);
}

TEST(ObservationFrameTest, EmptyTextsHaveNoPayload) {
  ASSERT_OK_AND_ASSIGN(Observation back, from_frame<Observation>(sent(Observation{})));
  EXPECT_EQ(back.output + back.raw + back.background, "");
  EXPECT_FALSE(back.timed_out || back.truncated || back.shell_restarted || back.left_background);
}

TEST(ObservationFrameTest, PayloadThatDoesNotMatchItsSizesIsCorrupt) {
  const Frame good = to_frame(full_observation());
  for (const std::string& wrong : {std::string(), good.payload.substr(1), good.payload + "x"}) {
    auto back = from_frame<Observation>({good.header, wrong});
    ASSERT_FALSE(back.ok()) << wrong.size();
    EXPECT_EQ(back.error().code, ErrorCode::kCorrupt);
  }
}

TEST(ObservationFrameTest, OverflowingSizesDoNotCrashTheReader) {
  std::mt19937_64 random(11);
  for (int round = 0; round < 1'000; ++round) {
    Frame frame = to_frame(Observation{});
    frame.payload = "payload";
    for (const char* key : {"output_size", "raw_size", "background_size"}) {
      if (random() % 2 == 0) frame.header[key] = random() % 2 == 0 ? Json(random()) : Json(-1);
    }
    (void)from_frame<Observation>(frame).ok();
  }
}

SideExecCall full_side_exec() {
  return {{.argv = {"printf", "%s", "", "a b"},
           .env = {{"A", "1"}, {"B", ""}},
           .cwd = "/tmp",
           .user = "ada",
           .input = kBinary,
           .timeout = milliseconds(5),
           .max_output = 9}};
}

TEST(SideExecCallTest, EveryFieldSurvivesARoundTrip) {
  const SideRequest request = full_side_exec().request;
  ASSERT_OK_AND_ASSIGN(SideExecCall back, from_frame<SideExecCall>(sent(full_side_exec())));
  EXPECT_EQ(back.request.argv, request.argv);
  EXPECT_EQ(back.request.env, request.env);
  EXPECT_EQ(back.request.cwd, request.cwd);
  EXPECT_EQ(back.request.user, request.user);
  EXPECT_EQ(back.request.input, request.input);
  EXPECT_EQ(back.request.timeout, request.timeout);
  EXPECT_EQ(back.request.max_output, request.max_output);
}

// An argument may be a file name, which can contain any bytes.
TEST(SideExecCallTest, ArgumentsThatAreNotUtf8SurviveARoundTrip) {
  const SideRequest request{.argv = {"cat", "caf\xe9.txt"}, .env = {{"A", "\xff"}}};
  ASSERT_OK_AND_ASSIGN(SideExecCall back, from_frame<SideExecCall>(sent(SideExecCall{request})));
  EXPECT_EQ(back.request.argv, request.argv);
  EXPECT_EQ(back.request.env, request.env);
}

TEST(SideExecCallTest, MissingOrWrongKeyIsNamedInTheError) { expect_strict(full_side_exec()); }

TEST(SideObservationFrameTest, BothOutputsInThePayloadSurviveARoundTrip) {
  const SideObservation seen{2, kBinary + "out", "err" + kBinary, microseconds(7), true, true};
  ASSERT_OK_AND_ASSIGN(SideObservation back, from_frame<SideObservation>(sent(seen)));
  EXPECT_EQ(back.exit_code, 2);
  EXPECT_EQ(back.standard_output, seen.standard_output);
  EXPECT_EQ(back.standard_error, seen.standard_error);
  EXPECT_EQ(back.duration, seen.duration);
  EXPECT_TRUE(back.timed_out && back.truncated);
}

TEST(SideObservationFrameTest, PayloadThatDoesNotMatchItsSizesIsCorrupt) {
  const Frame good = to_frame(SideObservation{0, "out", "err", microseconds(0), false, false});
  EXPECT_FALSE(from_frame<SideObservation>({good.header, "oute"}).ok());
  EXPECT_FALSE(from_frame<SideObservation>({good.header, "outerr+"}).ok());
}

TEST(ScreenFrameTest, ScrollbackLinesAndScreenRowsStaySeparate) {
  ScreenText text{.rows = {"a", ""}, .cursor_row = 1, .title = "t", .size = {2, 5}};
  for (int above = 0; above < 3; ++above) {
    ASSERT_OK_AND_ASSIGN(ScreenText back, from_frame<ScreenText>(sent(text)));
    EXPECT_EQ(back, text);
    text.scrollback.push_back("line " + std::to_string(above));
  }
}

TEST(TerminalPieceFrameTest, OnlyARepaintHasASize) {
  ASSERT_OK_AND_ASSIGN(TerminalPiece plain,
                       from_frame<TerminalPiece>(sent(TerminalPiece{kBinary})));
  EXPECT_EQ(plain.bytes, kBinary);
  EXPECT_FALSE(plain.repaints.has_value());
  const TerminalPiece painted{.bytes = "x", .repaints = WindowSize{3, 9}};
  ASSERT_OK_AND_ASSIGN(TerminalPiece back, from_frame<TerminalPiece>(sent(painted)));
  EXPECT_EQ(back.repaints, painted.repaints);
}

TEST(WriteFileCallTest, PathAndContentMayHoldAnyByte) {
  const WriteFileCall call{"/caf\xe9\n", kBinary};
  ASSERT_OK_AND_ASSIGN(WriteFileCall back, from_frame<WriteFileCall>(sent(call)));
  EXPECT_EQ(back.path, call.path);
  EXPECT_EQ(back.content, call.content);
  EXPECT_FALSE(from_frame<WriteFileCall>({{{"path_bytes", 9}}, "short"}).ok());
}

TEST(CheckpointFramesTest, EveryFieldSurvivesARoundTrip) {
  const CheckpointCall call{"/images", "layer", true, {{"digest", "d"}}, {"fail", "die"}};
  ASSERT_OK_AND_ASSIGN(CheckpointCall back, from_frame<CheckpointCall>(sent(call)));
  EXPECT_EQ(back.image_dir, call.image_dir);
  EXPECT_EQ(back.file_layer, call.file_layer);
  EXPECT_TRUE(back.precaptures);
  EXPECT_EQ(back.unless, call.unless);
  EXPECT_EQ(back.faults.fail_at + back.faults.die_at, "faildie");

  const CheckpointReply reply{.state = {{"hostname", "h"}},
                              .terminal = kBinary,
                              .unchanged = true,
                              .engine = "native",
                              .image_bytes = 7,
                              .facts = {1ULL << 33U, 2, false},
                              .precaptured = true};
  ASSERT_OK_AND_ASSIGN(CheckpointReply got, from_frame<CheckpointReply>(sent(reply)));
  EXPECT_EQ(got.state, reply.state);
  EXPECT_EQ(got.terminal, reply.terminal);
  EXPECT_TRUE(got.unchanged && got.precaptured);
  EXPECT_EQ(got.engine, reply.engine);
  EXPECT_EQ(got.image_bytes, reply.image_bytes);
  EXPECT_EQ(got.facts, reply.facts);
}

// message_fields.h shows this code.
struct Person {
  std::string name;
  std::string home;
};

template <typename F, Is<Person> M>
void describe(F& f, M& m) {
  f.field("name", m.name);
  f.optional("home", m.home);
}

TEST(MessageFieldsTest, ExampleOfTheHeaderRuns) {
  Frame frame = write_message(Person{.name = "ann", .home = "/home/ann"});
  Result<Person> back = read_message<Person>(std::move(frame), "person");
  ASSERT_OK(back);
  EXPECT_EQ(back->name + back->home, "ann/home/ann");
}

TEST(HelloReplyTest, OmittedFieldsOfAReplyKeepTheirDefault) {
  ASSERT_OK_AND_ASSIGN(HelloReply back, from_frame<HelloReply>(sent(HelloReply{.started = true})));
  EXPECT_TRUE(back.started);
  EXPECT_FALSE(back.alive);
  EXPECT_EQ(back.init, 0);
}

}  // namespace
}  // namespace sf::wire
