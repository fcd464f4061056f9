#include "wire/input_message.h"

#include <array>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/key_names.h"
#include "wire/base64.h"
#include "wire/json_fields.h"

namespace sf::wire {
namespace {

using Kind = InputEvent::Kind;

constexpr std::array kActions = {
    std::pair{"press", MouseEvent::Action::kPress},
    std::pair{"release", MouseEvent::Action::kRelease},
    std::pair{"click", MouseEvent::Action::kClick},
    std::pair{"move", MouseEvent::Action::kMove},
    std::pair{"wheel_up", MouseEvent::Action::kWheelUp},
    std::pair{"wheel_down", MouseEvent::Action::kWheelDown},
};
constexpr std::array kButtons = {
    std::pair{"none", MouseEvent::Button::kNone},
    std::pair{"left", MouseEvent::Button::kLeft},
    std::pair{"middle", MouseEvent::Button::kMiddle},
    std::pair{"right", MouseEvent::Button::kRight},
};

template <typename Table, typename Value>
std::string name_in(const Table& table, Value value) {
  for (const auto& [name, one] : table) {
    if (one == value) return name;
  }
  return {};
}

template <typename Value, typename Table>
Result<Value> value_in(const Table& table, const std::string& what, const std::string& wanted) {
  std::string names;
  for (const auto& [name, value] : table) {
    if (wanted == name) return value;
    names += (names.empty() ? "" : ", ") + std::string(name);
  }
  return invalid("unknown mouse " + what + " \"" + wanted + "\"", "use one of " + names);
}

Json mouse_to_json(const MouseEvent& event) {
  return {{"action", name_in(kActions, event.action)},
          {"button", name_in(kButtons, event.button)},
          {"row", event.row},
          {"col", event.col},
          {"control", event.control},
          {"alt", event.alt},
          {"shift", event.shift}};
}

Result<MouseEvent> mouse_from_json(const Json& json) {
  MouseEvent event;
  std::string action;
  std::string button;
  std::uint64_t row = 0;
  std::uint64_t col = 0;
  JsonFields fields(json);
  fields.read("action", action);
  fields.read("button", button);
  fields.read("row", row);
  fields.read("col", col);
  fields.read("control", event.control);
  fields.read("alt", event.alt);
  fields.read("shift", event.shift);
  for (const char* needed : {"action", "row", "col"}) fields.require(needed);
  SF_TRY(fields.done());
  SF_TRY_ASSIGN(event.action, mouse_action(action));
  if (button.empty()) button = event.action == MouseEvent::Action::kMove ? "none" : "left";
  SF_TRY_ASSIGN(event.button, mouse_button(button));
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint16_t>::max();
  if (row > kMost || col > kMost) return invalid("the row or column is out of range");
  event.row = static_cast<std::uint16_t>(row);
  event.col = static_cast<std::uint16_t>(col);
  return event;
}

Result<InputEvent> event_from_json(const Json& json) {
  if (!json.is_object() || json.size() != 1)
    return invalid("an event must have exactly one member",
                   "use one of text, text_base64, key, paste, mouse: {\"key\": \"Enter\"}");
  InputEvent event;
  if (json.contains("mouse")) {
    event.kind = Kind::kMouse;
    SF_TRY_ASSIGN(event.mouse, mouse_from_json(json["mouse"]));
    return event;
  }
  std::string encoded;
  std::string key;
  std::string paste;
  JsonFields fields(json);
  fields.read("text", event.text);
  fields.read("text_base64", encoded);
  fields.read("key", key);
  fields.read("paste", paste);
  SF_TRY(fields.done());
  if (fields.has("text_base64")) {
    SF_TRY_ASSIGN(event.text, from_base64(encoded));
  } else if (fields.has("key")) {
    SF_TRY(parse_key(key));
    event.kind = Kind::kKey;
    event.text = std::move(key);
  } else if (fields.has("paste")) {
    event.kind = Kind::kPaste;
    event.text = std::move(paste);
  }
  return event;
}

}  // namespace

Result<MouseEvent::Action> mouse_action(const std::string& name) {
  return value_in<MouseEvent::Action>(kActions, "action", name);
}

Result<MouseEvent::Button> mouse_button(const std::string& name) {
  return value_in<MouseEvent::Button>(kButtons, "button", name);
}

Json input_to_json(const InputEvents& input) {
  Json list = Json::array();
  for (const InputEvent& event : input) {
    switch (event.kind) {
      case Kind::kText:
        if (is_utf8(event.text)) {
          list.push_back({{"text", event.text}});
        } else {
          list.push_back({{"text_base64", to_base64(event.text)}});
        }
        break;
      case Kind::kKey:
        list.push_back({{"key", event.text}});
        break;
      case Kind::kPaste:
        list.push_back({{"paste", event.text}});
        break;
      case Kind::kMouse:
        list.push_back({{"mouse", mouse_to_json(event.mouse)}});
        break;
    }
  }
  return list;
}

Result<InputEvents> input_from_json(const Json& list) {
  if (!list.is_array()) return invalid("\"input\" must be a list");
  InputEvents input;
  for (std::size_t i = 0; i < list.size(); ++i) {
    auto event = event_from_json(list[i]);
    if (!event) return std::move(event).error().while_doing("input[" + std::to_string(i) + "]");
    input.push_back(std::move(*event));
  }
  return input;
}

}  // namespace sf::wire
