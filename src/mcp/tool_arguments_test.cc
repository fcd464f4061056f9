#include "mcp/tool_arguments.h"

#include "testing/matchers.h"

namespace sf::cli::mcp {
namespace {

using wire::Json;

std::vector<Argument> arguments() {
  using enum ArgumentType;
  return {{.name = "session", .description = "Which.", .required = true},
          {.name = "branch", .description = "Branch.", .fallback = Json("main")},
          {.name = "kind", .type = kWord, .description = "Kind.", .words = {"a", "b"}},
          {.name = "count", .type = kWhole, .description = "Count.", .minimum = 1, .maximum = 9},
          {.name = "cpus", .type = kNumber, .description = "Cpus."},
          {.name = "force", .type = kFlag, .description = "Force."},
          {.name = "names", .type = kTextList, .description = "Names."},
          {.name = "env", .type = kTextMap, .description = "Env."}};
}

Error error_of(const Json& given) {
  auto checked = check_arguments(arguments(), given);
  EXPECT_FALSE(checked.ok()) << given;
  return checked ? Error{} : checked.error();
}

TEST(ToolArgumentsTest, CompleteCallIsUnchanged) {
  Json given = {{"session", "s"}, {"branch", "b1"}, {"kind", "a"},    {"count", 9},
                {"cpus", 1.5},    {"force", true},  {"names", {"x"}}, {"env", {{"K", "V"}}}};
  ASSERT_OK_AND_ASSIGN(Json checked, check_arguments(arguments(), given));
  EXPECT_EQ(checked, given);
}

TEST(ToolArgumentsTest, DefaultsAreFilledInAndNullMeansAbsent) {
  ASSERT_OK_AND_ASSIGN(Json checked,
                       check_arguments(arguments(), {{"session", "s"}, {"count", nullptr}}));
  EXPECT_EQ(checked, Json({{"session", "s"}, {"branch", "main"}}));
}

TEST(ToolArgumentsTest, UnknownArgumentIsNamedAndTheHintListsValidOnes) {
  Error error = error_of({{"session", "s"}, {"sesion", "s"}});
  EXPECT_NE(error.message.find("\"sesion\""), std::string::npos) << error.message;
  EXPECT_NE(error.hint.find("session (required), branch"), std::string::npos) << error.hint;
}

TEST(ToolArgumentsTest, AMissingArgumentIsNamed) {
  EXPECT_NE(error_of(Json::object()).message.find("\"session\" is missing"), std::string::npos);
  EXPECT_NE(error_of({{"session", nullptr}}).message.find("\"session\""), std::string::npos);
}

TEST(ToolArgumentsTest, ErrorForAWrongTypeNamesTheArgument) {
  const std::vector<std::pair<std::string, Json>> wrong = {
      {"session", 1},      {"branch", Json::array()},
      {"kind", "c"},       {"kind", 1},
      {"count", "5"},      {"count", -1},
      {"count", 0},        {"count", 10},
      {"count", 1.5},      {"count", 1e300},
      {"cpus", "1"},       {"cpus", -1},
      {"force", "true"},   {"force", 1},
      {"names", "x"},      {"names", {1}},
      {"env", {{"K", 1}}}, {"env", Json::array({"K"})}};
  for (const auto& [name, value] : wrong) {
    Json given = {{"session", "s"}};
    given[name] = value;
    EXPECT_EQ(error_of(given).message.find("\"" + name + "\" must be"), 0U) << given;
  }
}

TEST(ToolArgumentsTest, AWholeNumberMayHaveADecimalPoint) {
  ASSERT_OK_AND_ASSIGN(Json checked,
                       check_arguments(arguments(), {{"session", "s"}, {"count", 5.0}}));
  EXPECT_TRUE(checked["count"].is_number_unsigned());
  EXPECT_EQ(checked["count"], 5);
}

TEST(ToolArgumentsTest, SchemaAndCheckAgree) {
  Json schema = input_schema(arguments());
  EXPECT_EQ(schema["type"], "object");
  EXPECT_EQ(schema["additionalProperties"], false);
  EXPECT_EQ(schema["required"], Json::array({"session"}));
  EXPECT_EQ(schema["properties"].size(), arguments().size());
  EXPECT_EQ(schema["properties"]["branch"],
            Json({{"type", "string"}, {"description", "Branch."}, {"default", "main"}}));
  EXPECT_EQ(schema["properties"]["kind"]["enum"], Json::array({"a", "b"}));
  EXPECT_EQ(schema["properties"]["count"]["maximum"], 9);
  EXPECT_EQ(schema["properties"]["names"]["items"]["type"], "string");
  EXPECT_EQ(schema["properties"]["env"]["additionalProperties"]["type"], "string");
}

TEST(ToolArgumentsTest, ToolWithoutArgumentsRefusesArguments) {
  EXPECT_EQ(
      input_schema({}),
      Json({{"type", "object"}, {"properties", Json::object()}, {"additionalProperties", false}}));
  ASSERT_OK_AND_ASSIGN(Json checked, check_arguments({}, Json::object()));
  EXPECT_EQ(checked, Json::object());
}

}  // namespace
}  // namespace sf::cli::mcp
