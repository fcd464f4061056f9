#include "waypoint/manifest.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

#include "testing/matchers.h"

namespace sf::waypoint {
namespace {

using wire::Json;

const std::string kTerminal = std::string("screen\0\xff", 8) + "background\x1b[0m" + "keys\x03";

Manifest full_manifest() {
  Manifest manifest;
  manifest.info.id = CheckpointId("c-0123456789ab");
  manifest.info.parent = CheckpointId("c-ba9876543210");
  manifest.info.branch = BranchId("b-1");
  manifest.info.image_bytes = 1ULL << 40U;
  manifest.info.took = microseconds(5'000'000);
  manifest.config.env = {{"A", "1"}};
  manifest.state.hostname = "somewhere";
  manifest.state.last_pid = 4'000'000;
  manifest.state.own_ipc = true;
  manifest.state.tcp_in_flight = true;
  manifest.state.shell.shell = 2;
  manifest.state.shell.holder = 3;
  manifest.state.shell.prompt_read = 4096;
  manifest.state.shell.commands = 41;
  manifest.state.shell.command_running = true;
  manifest.state.shell.screen = kTerminal.substr(0, 8);
  manifest.state.shell.background = kTerminal.substr(8, 14);
  manifest.state.shell.typed = {kTerminal.substr(22, 3), {1, 3}};
  manifest.state.shell.waiting = kTerminal.substr(25);
  manifest.state.stopped = microseconds(77);
  manifest.boot_id = "c1a0-boot";
  manifest.precapture_keeper = "k-7";
  manifest.config.rlimits = os::ResourceLimits::of_this_process();
  return manifest;
}

// The text of the manifest after one change.
template <typename F>
std::string changed(F change) {
  Json json = Json::parse(manifest_text(full_manifest()));
  change(json);
  return json.dump();
}

void expect_corrupt(const std::string& text, const std::string& named = "") {
  auto manifest = parse_manifest(text, kTerminal);
  ASSERT_FALSE(manifest.ok()) << text;
  EXPECT_EQ(manifest.error().code, ErrorCode::kCorrupt);
  EXPECT_NE(manifest.error().message.find(named), std::string::npos) << manifest.error().message;
}

TEST(ManifestTest, ShownPromptSurvives) {
  for (bool shown : {false, true}) {
    Manifest manifest = full_manifest();
    manifest.state.shell.shows_prompt = shown;
    ASSERT_OK_AND_ASSIGN(Manifest back, parse_manifest(manifest_text(manifest), kTerminal));
    EXPECT_EQ(back.state.shell.shows_prompt, shown);
  }
}

TEST(ManifestTest, EveryFieldSurvives) {
  Manifest manifest = full_manifest();
  EXPECT_EQ(terminal_bytes(manifest.state), kTerminal);
  ASSERT_OK_AND_ASSIGN(Manifest back, parse_manifest(manifest_text(manifest), kTerminal));
  EXPECT_EQ(manifest_text(back), manifest_text(manifest));
  EXPECT_EQ(back.info.id, manifest.info.id);
  EXPECT_EQ(back.info.parent, manifest.info.parent);
  EXPECT_EQ(back.info.branch, manifest.info.branch);
  EXPECT_EQ(back.info.image_bytes, manifest.info.image_bytes);
  EXPECT_EQ(back.info.took, manifest.info.took);
  EXPECT_EQ(back.info.stopped, manifest.state.stopped);
  EXPECT_EQ(back.engine, "criu");
  EXPECT_EQ(back.boot_id, manifest.boot_id);
  EXPECT_EQ(back.precapture_keeper, "k-7");
  EXPECT_EQ(back.state.hostname, manifest.state.hostname);
  EXPECT_EQ(back.state.last_pid, manifest.state.last_pid);
  EXPECT_TRUE(back.state.own_ipc && back.state.tcp_in_flight);
  EXPECT_EQ(back.state.shell.shell, 2);
  EXPECT_EQ(back.state.shell.holder, 3);
  EXPECT_EQ(back.state.shell.prompt_read, 4096U);
  EXPECT_EQ(back.state.shell.commands, 41);
  EXPECT_TRUE(back.state.shell.command_running);
  EXPECT_EQ(back.state.shell.screen, manifest.state.shell.screen);
  EXPECT_EQ(back.state.shell.background, manifest.state.shell.background);
  EXPECT_EQ(back.state.shell.typed, (os::TypedAhead{"key", {1, 3}}));
  EXPECT_EQ(back.state.shell.waiting, "s\x03");
}

TEST(ManifestTest, AManifestWithoutWaitingSizeHasNoWaitingKeys) {
  Manifest manifest = full_manifest();
  manifest.state.shell.typed.bytes += std::exchange(manifest.state.shell.waiting, "");
  EXPECT_EQ(manifest_text(manifest).find("waiting_size"), std::string::npos);
  ASSERT_OK_AND_ASSIGN(Manifest back, parse_manifest(manifest_text(manifest), kTerminal));
  EXPECT_EQ(back.state.shell.typed.bytes, "keys\x03");
  EXPECT_EQ(back.state.shell.waiting, "");
}

TEST(ManifestTest, AnEndOfFileOutsideOfTheTypedBytesIsRefused) {
  for (const std::vector<std::size_t>& ends : {std::vector<std::size_t>{4}, {2, 1}}) {
    Manifest manifest = full_manifest();
    manifest.state.shell.typed.ends = ends;
    auto back = parse_manifest(manifest_text(manifest), kTerminal);
    ASSERT_FALSE(back.ok());
    EXPECT_EQ(back.error().code, ErrorCode::kCorrupt);
  }
}

TEST(ManifestTest, AFirstCheckpointHasNoParent) {
  Manifest manifest = full_manifest();
  manifest.info.parent.reset();
  ASSERT_OK_AND_ASSIGN(Manifest back, parse_manifest(manifest_text(manifest), kTerminal));
  EXPECT_EQ(back.info.parent, std::nullopt);
}

TEST(ManifestTest, ManifestWithABaseSurvives) {
  Manifest manifest = full_manifest();
  manifest.info.base = CheckpointId("c-111111111111");
  manifest.state.fingerprint = StateFingerprint{"d1", 40, 39};
  manifest.state.shell.catch_up = CatchUp{.status = 3,
                                          .last_word = "w\xff",
                                          .lines = 2,
                                          .commands = {"ls \x01", "two\nlines"},
                                          .programs = {{"ls", "/usr/bin/ls", 7}}};
  ASSERT_OK_AND_ASSIGN(Manifest back, parse_manifest(manifest_text(manifest), kTerminal));
  EXPECT_EQ(back.info.base, manifest.info.base);
  EXPECT_EQ(source_of(back.info), *manifest.info.base);
  EXPECT_EQ(back.state.fingerprint, manifest.state.fingerprint);
  ASSERT_TRUE(back.state.shell.catch_up.has_value());
  EXPECT_EQ(back.state.shell.catch_up->status, 3);
  EXPECT_EQ(back.state.shell.catch_up->last_word, "w\xff");
  EXPECT_EQ(back.state.shell.catch_up->commands, manifest.state.shell.catch_up->commands);
  EXPECT_EQ(back.state.shell.catch_up->programs, manifest.state.shell.catch_up->programs);
  EXPECT_EQ(manifest_text(back), manifest_text(manifest));
  expect_corrupt(changed([](Json& json) { json["base"] = "../up"; }), "malformed id");
  expect_corrupt(changed([](Json& json) { json["state"]["mark"] = {{"digest", 1}}; }));
  expect_corrupt(changed([](Json& json) { json["state"]["catch_up"] = {{"status", 0}}; }));
}

TEST(ManifestTest, UnknownVersionIsRefusedAndNamed) {
  for (int version : {0, 1, 4, 99, -1}) {
    expect_corrupt(changed([&](Json& json) { json["version"] = version; }),
                   "unknown version " + std::to_string(version));
  }
  expect_corrupt(changed([](Json& json) { json["version"] = "1"; }));
}

TEST(ManifestTest, AVersionThatOverflowsToOursIsRefused) {
  expect_corrupt(changed([](Json& json) { json["version"] = (1LL << 32U) + kManifestVersion; }));
}

TEST(ManifestTest, AMissingKeyIsNamed) {
  const Json good = Json::parse(manifest_text(full_manifest()));
  for (const auto& item : good.items()) {
    if (item.key() == "parent" || item.key() == "ahead_keeper") continue;
    expect_corrupt(changed([&](Json& json) { json.erase(item.key()); }), item.key());
  }
  for (const auto& item : good["state"].items()) {
    if (item.key() == "typed_ends") continue;
    const bool optional = item.key() == "waiting_size";  // then terminal bytes are left over
    expect_corrupt(changed([&](Json& json) { json["state"].erase(item.key()); }),
                   optional ? "does not match" : item.key());
  }
  for (const char* key : {"root", "rows", "network"})
    expect_corrupt(changed([&](Json& json) { json["config"].erase(key); }), key);
}

TEST(ManifestTest, AValueOfTheWrongKindIsCorruptInEveryField) {
  const Json good = Json::parse(manifest_text(full_manifest()));
  for (const auto& item : good.items())
    expect_corrupt(changed([&](Json& json) { json[item.key()] = Json::array(); }));
  for (const auto& item : good["state"].items())
    expect_corrupt(changed([&](Json& json) { json["state"][item.key()] = Json::object(); }));
}

TEST(ManifestTest, IdsThatCouldLeaveTheStoreAreRefused) {
  for (const char* key : {"id", "parent", "branch"}) {
    for (const char* id : {"../x", "", "/", "A"})
      expect_corrupt(changed([&](Json& json) { json[key] = id; }));
  }
}

TEST(ManifestTest, ATerminalFileOfAnotherSizeIsRefused) {
  std::string text = manifest_text(full_manifest());
  for (const std::string& terminal : {std::string(), kTerminal.substr(1), kTerminal + "x"}) {
    auto manifest = parse_manifest(text, terminal);
    ASSERT_FALSE(manifest.ok());
    EXPECT_EQ(manifest.error().code, ErrorCode::kCorrupt);
  }
}

TEST(ManifestTest, SizesThatAddUpOnlyByOverflowAreRefused) {
  for (const char* key : {"screen_size", "background_size", "typed_size", "waiting_size"}) {
    const char* other = std::string_view(key) == "typed_size" ? "screen_size" : "typed_size";
    expect_corrupt(changed([&](Json& json) {
      json["state"].update(
          {{"screen_size", 0}, {"background_size", 0}, {"typed_size", 0}, {"waiting_size", 0}});
      json["state"][key] = -1;
      json["state"][other] = kTerminal.size() + 1;
    }));
  }
}

TEST(ManifestTest, TextThatIsNotAJsonObjectIsCorrupt) {
  for (const char* text : {"", "{", "[]", "null", "7", "\xff", "{}"}) expect_corrupt(text);
}

TEST(ManifestTest, EveryTruncationIsCorrupt) {
  std::string text = manifest_text(full_manifest());
  for (std::size_t size = 0; size + 2 < text.size(); size += 7)
    expect_corrupt(text.substr(0, size));
}

TEST(ManifestTest, DamagedTextDoesNotCrashTheParser) {
  const std::string good = manifest_text(full_manifest());
  std::mt19937 random(12);
  for (int round = 0; round < 3'000; ++round) {
    std::string text = good;
    for (std::size_t i = 0; i < 1 + random() % 3; ++i)
      text[random() % text.size()] =
          random() % 3 == 0 ? static_cast<char>(random()) : static_cast<char>('0' + random() % 10);
    auto manifest = parse_manifest(text, kTerminal);
    if (!manifest) {
      EXPECT_EQ(manifest.error().code, ErrorCode::kCorrupt);
    }
  }
}

}  // namespace
}  // namespace sf::waypoint
