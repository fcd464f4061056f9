// Terminal input as JSON: a list of objects, each with one member: `text`, `text_base64`, `key`,
// `paste` or `mouse` (`action row col button control alt shift`). Used between client and daemon,
// and between daemon and keeper.
#pragma once

#include "base/input_events.h"
#include "base/result.h"
#include "wire/json.h"

namespace sf::wire {

Json input_to_json(const InputEvents& input);
// Strict: kInvalidArgument for anything else, including unknown key names.
Result<InputEvents> input_from_json(const Json& list);

// "click", "wheel_up"; "left", "none".
Result<MouseEvent::Action> mouse_action(const std::string& name);
Result<MouseEvent::Button> mouse_button(const std::string& name);

}  // namespace sf::wire
