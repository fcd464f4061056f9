#include "explore/agents/llm/prompts.h"

#include <gtest/gtest.h>

#include "os/file.h"
#include "testing/matchers.h"
#include "testing/temp_dir.h"

namespace sf::explore::llm {
namespace {

TEST(PromptsTest, APromptHasTwoParts) {
  ASSERT_OK_AND_ASSIGN(
      Prompt prompt,
      parse_prompt("For people.\n# System\n\nYou are.\r\n\n# User\nDo {{it}}.\n", {"it"}));
  EXPECT_EQ(prompt.system, "You are.");
  EXPECT_EQ(prompt.user, "Do {{it}}.");
}

TEST(PromptsTest, MissingPartsAndUnknownNamesAreReported) {
  for (const char* text : {"", "# System\nx", "# User\nx", "# User\n# System\n", "# System # User"})
    EXPECT_FALSE(parse_prompt(text, {})) << text;
  auto prompt = parse_prompt("# System\n# User\n{{histroy}}", {"history", "instruction"});
  ASSERT_FALSE(prompt);
  EXPECT_EQ(prompt.error().describe(),
            "unknown placeholder {{histroy}} (available: history, instruction)");
}

TEST(PromptsTest, InsertedValuesAreNotExpandedAgain) {
  const PromptValues values{{"a", "{{b}}"}, {"b", "{{a}}"}};
  EXPECT_EQ(fill_in("{{a}}{{b}} and {{a}}", values), "{{b}}{{a}} and {{b}}");
}

TEST(PromptsTest, OtherBracesAreText) {
  EXPECT_EQ(fill_in(R"({"x": {{a}}} {{}} {{ a }} {{{a}} {{a)", {{"a", "1"}}),
            R"({"x": 1} {{}} {{ a }} {1 {{a)");
}

TEST(PromptsTest, BuiltInPromptsAreValid) {
  ASSERT_OK_AND_ASSIGN(Prompts prompts, load_prompts(""));
  EXPECT_NE(prompts.propose.user.find("{{siblings}}"), std::string::npos);
  EXPECT_NE(prompts.assess.user.find("{{step}}"), std::string::npos);
  EXPECT_NE(prompts.choose.user.find("{{candidates}}"), std::string::npos);
  EXPECT_NE(prompts.propose.system.find(R"({"thought": "...", "command": "...", "done": false})"),
            std::string::npos);
}

TEST(PromptsTest, ADirectoryOverridesSinglePrompts) {
  test::TempDir dir;
  ASSERT_OK(os::write_file(dir / "assess.md", "# System\nmine\n# User\n{{step}}"));
  ASSERT_OK_AND_ASSIGN(Prompts prompts, load_prompts(dir.path()));
  EXPECT_EQ(prompts.assess.system, "mine");
  EXPECT_EQ(prompts.propose.user, load_prompts("").value().propose.user);
}

TEST(PromptsTest, LoadingFailsIfAPromptIsInvalid) {
  test::TempDir dir;
  EXPECT_FALSE(load_prompts(dir / "nowhere"));
  EXPECT_FALSE(load_prompts(dir.path()));
  ASSERT_OK(os::write_file(dir / "choose.md", "# System\n# User\n{{step}}"));
  auto prompts = load_prompts(dir.path());
  ASSERT_FALSE(prompts);
  EXPECT_TRUE(prompts.error().message.starts_with("the prompt choose.md: "));
}

}  // namespace
}  // namespace sf::explore::llm
