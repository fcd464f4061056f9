#include "wire/json_fields.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "testing/matchers.h"

namespace sf::wire {
namespace {

struct Sample {
  std::string name = "default";
  std::uint64_t count = 7;
  bool raw = false;
  double cpus = 0;
  std::map<std::string, std::string> env;
  std::vector<std::string> names;
};

Result<Sample> parse(const std::string& text) {
  Json json = Json::parse(text, nullptr, false);
  JsonFields fields(json);
  Sample sample;
  fields.read("name", sample.name);
  fields.read("count", sample.count);
  fields.read("raw", sample.raw);
  fields.read("cpus", sample.cpus);
  fields.read("env", sample.env);
  fields.read("names", sample.names);
  SF_TRY(fields.done());
  return sample;
}

std::string complaint(const std::string& text) {
  auto sample = parse(text);
  return sample ? "" : sample.error().describe();
}

TEST(JsonFieldsTest, PresentFieldsAreReadAndAbsentOnesKeepTheirDefault) {
  ASSERT_OK_AND_ASSIGN(Sample sample, parse(R"({"count": 3, "env": {"A": "b"}, "names": ["x"],
                                               "cpus": 1.5, "name": null, "raw": true})"));
  EXPECT_EQ(sample.name, "default");
  EXPECT_EQ(sample.count, 3U);
  EXPECT_EQ(sample.cpus, 1.5);
  EXPECT_TRUE(sample.raw);
  EXPECT_EQ(sample.env.at("A"), "b");
  EXPECT_EQ(sample.names, std::vector<std::string>{"x"});
}

TEST(JsonFieldsTest, WrongValueIsNamedInTheError) {
  for (const char* text :
       {R"({"count": -1})", R"({"count": 1.5})", R"({"count": "1"})", R"({"count": 1e99})"})
    EXPECT_NE(complaint(text).find("count"), std::string::npos) << text;
  EXPECT_NE(complaint(R"({"name": 1})").find("name"), std::string::npos);
  EXPECT_NE(complaint(R"({"raw": 0})").find("raw"), std::string::npos);
  EXPECT_NE(complaint(R"({"env": {"A": 1}})").find("env"), std::string::npos);
  EXPECT_NE(complaint(R"({"names": "x"})").find("names"), std::string::npos);
}

TEST(JsonFieldsTest, UnknownFieldIsRefusedAndKnownFieldsAreListed) {
  EXPECT_EQ(complaint(R"({"nmae": "x"})"),
            "unknown field \"nmae\" (fields: count, cpus, env, name, names, raw)");
}

TEST(JsonFieldsTest, OnlyAnObjectIsAccepted) {
  for (const char* text : {"[]", "1", "not json", ""}) EXPECT_FALSE(parse(text).ok()) << text;
}

}  // namespace
}  // namespace sf::wire
