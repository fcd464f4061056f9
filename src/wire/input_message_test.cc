#include "wire/input_message.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "testing/matchers.h"

namespace sf::wire {
namespace {

using enum InputEvent::Kind;

TEST(InputMessageTest, EveryEventSurvivesARoundTrip) {
  MouseEvent drag{MouseEvent::Action::kMove, MouseEvent::Button::kRight, 3, 7, true, false, true};
  InputEvents input = {{kText, "ls", {}},
                       {kText, "\xff\x03", {}},
                       {kKey, "C-Left", {}},
                       {kPaste, "a\nb", {}},
                       {kMouse, "", drag},
                       {kMouse, "", {MouseEvent::Action::kWheelDown, MouseEvent::Button::kNone}}};
  ASSERT_OK_AND_ASSIGN(InputEvents back, input_from_json(input_to_json(input)));
  EXPECT_EQ(back, input);
}

TEST(InputMessageTest, OmittedMouseMembersHaveDefaults) {
  ASSERT_OK_AND_ASSIGN(
      InputEvents input,
      input_from_json(Json::parse(R"([{"mouse": {"action": "click", "row": 1, "col": 2}},
                                      {"mouse": {"action": "move", "row": 1, "col": 2}}])")));
  EXPECT_EQ(input[0].mouse.button, MouseEvent::Button::kLeft);
  EXPECT_EQ(input[1].mouse.button, MouseEvent::Button::kNone);
}

TEST(InputMessageTest, InvalidEventIsAnErrorWithItsIndex) {
  for (const char* text :
       {R"({})", R"([{}])", R"(["Enter"])", R"([{"key": "Entr"}])", R"([{"key": 1}])",
        R"([{"text": "a", "key": "b"}])", R"([{"keys": "a"}])", R"([{"text_base64": "!"}])",
        R"([{"mouse": {"action": "click"}}])",
        R"([{"mouse": {"action": "x", "row": 0, "col": 0}}])",
        R"([{"mouse": {"action": "click", "row": 70000, "col": 0}}])",
        R"([{"mouse": {"action": "click", "row": 0, "col": 0, "button": "x"}}])"}) {
    auto refused = input_from_json(Json::parse(text));
    ASSERT_FALSE(refused.ok()) << text;
    EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument) << text;
  }
  auto refused = input_from_json(Json::parse(R"([{"text": "a"}, {"key": "Entr"}])"));
  EXPECT_NE(refused.error().message.find("input[1]"), std::string::npos) << refused.error().message;
}

}  // namespace
}  // namespace sf::wire
