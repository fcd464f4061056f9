// Tools for the terminal of a live branch: send_keys, mouse, screen, resize.
#include <utility>

#include "base/key_names.h"
#include "base/request_limits.h"
#include "mcp/output_schema.h"
#include "mcp/tool.h"
#include "wire/input_message.h"

namespace sf::cli::mcp {
namespace {

using enum ArgumentType;

constexpr std::uint64_t kMaxWindow = 65'535;

ToolResult typed(const Json& /*arguments*/, const Json& answer) {
  std::string text = "typed; call screen to see the effect";
  if (const auto waiting = answer.value("waiting_bytes", std::uint64_t{0}); waiting > 0)
    text = "typed; " + std::to_string(waiting) +
           " bytes wait until the program in the terminal reads them";
  return {.text = std::move(text), .structured = answer};
}

Json typed_schema() {
  return object_of({{"accepted_bytes", whole_field("Bytes typed by this call: all of them.")},
                    {"waiting_bytes", whole_field("Bytes that the program in the terminal has not "
                                                  "read yet, earlier ones included.")}});
}

Result<ApiCall> keys_request(const Json& arguments) {
  InputEvents input;
  for (const Json& word : arguments.value("keys", Json::array())) {
    std::vector<std::string> words = {word.get<std::string>()};
    if (arguments.at("literal") == true) {
      input.push_back({InputEvent::Kind::kText, std::move(words.front()), {}});
      continue;
    }
    SF_TRY_ASSIGN(InputEvents one, input_from_words(words));
    input.insert(input.end(), one.begin(), one.end());
  }
  if (arguments.contains("paste"))
    input.push_back({InputEvent::Kind::kPaste, arguments["paste"].get<std::string>(), {}});
  if (input.empty()) return invalid("nothing to type", "give keys or paste");
  return ApiCall{.method = "POST",
                 .path = branch_path(arguments) + "/keys",
                 .body = {{"input", wire::input_to_json(input)}}};
}

Tool send_keys() {
  return {
      .name = "send_keys",
      .title = "Type into the terminal",
      .description =
          "Types into the program in the branch's terminal: an editor, a menu, a prompt. Keys have "
          "tmux's names (Enter, Down, Escape, F5, C-c, M-x, S-Up) and are encoded for the "
          "program's terminal modes. A misspelt name is an error, and nothing is typed. To run a "
          "command, use exec_command.",
      .hints = {.destructive = true},
      .arguments = {session_argument(),
                    {.name = "keys",
                     .type = kTextList,
                     .description = "Names of keys and pieces of text, in order: "
                                    "[\":wq\", \"Enter\"]."},
                    {.name = "literal",
                     .type = kFlag,
                     .description = "Type every word of keys as text.",
                     .fallback = false},
                    {.name = "paste",
                     .description = "Text to paste after the keys, bracketed if the program "
                                    "enabled bracketed paste."},
                    branch_argument()},
      .output_schema = typed_schema(),
      .takes_turns = true,
      .request = keys_request,
      .present = typed,
  };
}

Tool mouse() {
  return {
      .name = "mouse",
      .title = "Use the mouse in the terminal",
      .description =
          "Clicks, presses, moves or turns the wheel. Fails if the program did not enable mouse "
          "reports.",
      .hints = {.destructive = true},
      .arguments = {session_argument(),
                    {.name = "action",
                     .type = kWord,
                     .description = "The action.",
                     .fallback = Json("click"),
                     .words = {"click", "press", "release", "move", "wheel_up", "wheel_down"}},
                    {.name = "row",
                     .type = kWhole,
                     .description = "Row of the screen, from 0.",
                     .required = true},
                    {.name = "col",
                     .type = kWhole,
                     .description = "Column of the screen, from 0.",
                     .required = true},
                    {.name = "button",
                     .type = kWord,
                     .description = "The button. Default: left, and none for move.",
                     .words = {"none", "left", "middle", "right"}},
                    {.name = "control", .type = kFlag, .description = "With Control held."},
                    {.name = "alt", .type = kFlag, .description = "With Alt held."},
                    {.name = "shift", .type = kFlag, .description = "With Shift held."},
                    branch_argument()},
      .output_schema = typed_schema(),
      .takes_turns = true,
      .request = [](const Json& arguments) -> Result<ApiCall> {
        Json event = {{"mouse", picked(arguments, {"action", "row", "col", "button", "control",
                                                   "alt", "shift"})}};
        return ApiCall{.method = "POST",
                       .path = branch_path(arguments) + "/keys",
                       .body = {{"input", Json::array({std::move(event)})}}};
      },
      .present = typed,
  };
}

ToolResult present_screen(const Json& /*arguments*/, const Json& answer) {
  std::string text;
  for (const char* part : {"scrollback", "rows"}) {
    for (const Json& row : answer.at(part)) text += row.get<std::string>() + "\n";
  }
  text.erase(text.find_last_not_of('\n') + 1);
  text += "\n[cursor at row " + answer.at("cursor_row").dump() + ", column " +
          answer.at("cursor_col").dump() + "]";
  return {.text = std::move(text), .structured = answer};
}

Tool screen() {
  return {
      .name = "screen",
      .title = "Show the screen",
      .description = "Returns the branch's screen: full-screen programs, prompts, menus.",
      .hints = {.read_only = true, .idempotent = true},
      .arguments = {session_argument(),
                    {.name = "scrollback",
                     .type = kWhole,
                     .description = "Number of lines above the screen to return.",
                     .fallback = 0,
                     .maximum = kMaxScrollback},
                    branch_argument()},
      .output_schema = object_of({{"rows", texts_field("The rows of the screen.")},
                                  {"scrollback", texts_field("Lines above it, oldest first.")},
                                  {"cursor_row", whole_field("From 0.")},
                                  {"cursor_col", whole_field("From 0.")},
                                  {"cursor_visible", flag_field("The cursor is visible.")},
                                  {"alternate_screen", flag_field("A program fills the screen.")},
                                  {"title", text_field("Title of the window.")}}),
      .takes_turns = true,
      .request = [](const Json& arguments) -> Result<ApiCall> {
        return ApiCall{.method = "GET",
                       .path = branch_path(arguments) +
                               "/screen?scrollback=" + arguments.at("scrollback").dump()};
      },
      .present = present_screen,
  };
}

Tool resize() {
  return {
      .name = "resize",
      .title = "Resize the terminal",
      .description =
          "Sets the rows and columns of the branch's terminal. Its programs get SIGWINCH, and "
          "lines are wrapped again.",
      .hints = {.idempotent = true},
      .arguments = {session_argument(),
                    {.name = "rows",
                     .type = kWhole,
                     .description = "Rows of the screen.",
                     .required = true,
                     .minimum = 1,
                     .maximum = kMaxWindow},
                    {.name = "cols",
                     .type = kWhole,
                     .description = "Columns of the screen.",
                     .required = true,
                     .minimum = 1,
                     .maximum = kMaxWindow},
                    branch_argument()},
      .output_schema = object_of(Json::object()),
      .takes_turns = true,
      .request = [](const Json& arguments) -> Result<ApiCall> {
        return ApiCall{.method = "POST",
                       .path = branch_path(arguments) + "/resize",
                       .body = picked(arguments, {"rows", "cols"})};
      },
      .present =
          [](const Json& arguments, const Json& /*answer*/) {
            return ToolResult{.text = "the terminal has " + arguments.at("rows").dump() +
                                      " rows and " + arguments.at("cols").dump() + " columns",
                              .structured = Json::object()};
          },
  };
}

}  // namespace

std::vector<Tool> terminal_tools() { return {send_keys(), mouse(), screen(), resize()}; }

}  // namespace sf::cli::mcp
