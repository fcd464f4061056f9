#include "roots/root_record.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "roots/sha256.h"
#include "testing/matchers.h"
#include "wire/json.h"

namespace sf::roots {
namespace {

RootRecord some_record() {
  return {sha256_of("x"), "/srv/debian.tar", "2026-01-31T12:00:00Z", 1234, 2, 1, {{"A=b"}}};
}

TEST(RootRecordTest, RecordRoundTripKeepsEverything) {
  const RootRecord record = some_record();
  ASSERT_OK_AND_ASSIGN(RootRecord back, parse_root_record(to_text(record)));
  EXPECT_EQ(to_text(back), to_text(record));
  EXPECT_EQ(back.config.env, record.config.env);
}

TEST(RootRecordTest, SourceCanHaveAnyBytes) {
  RootRecord record = some_record();
  record.source = "/srv/\xff.tar";
  EXPECT_OK(parse_root_record(to_text(record)));
}

TEST(RootRecordTest, OtherVersionsAndMalformedRecordsAreRefused) {
  for (const char* key : {"version", "digest", "config", "bytes"}) {
    wire::Json json = to_json(some_record());
    json[key] = key == std::string("bytes") ? wire::Json("many") : wire::Json(99);
    EXPECT_FALSE(parse_root_record(json.dump()).ok()) << key;
  }
  for (const char* text : {"", "{}", "[]", "null"}) EXPECT_FALSE(parse_root_record(text).ok());
}

}  // namespace
}  // namespace sf::roots
