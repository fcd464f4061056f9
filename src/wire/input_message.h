// Terminal input as JSON: a list whose members have one of `text`, `text_base64`, `key`, `paste`,
// `mouse` (`action row col button control alt shift`). The same for clients of the daemon and for
// the daemon that asks a keeper.
#pragma once

#include "base/input_events.h"
#include "base/result.h"
#include "wire/json.h"

namespace sf::wire {

Json input_to_json(const InputEvents& input);
// Strict: fails with kInvalidArgument on anything else, also on names that no key has.
Result<InputEvents> input_from_json(const Json& list);

// "click", "wheel_up"; "left", "none".
Result<MouseEvent::Action> mouse_action(const std::string& name);
Result<MouseEvent::Button> mouse_button(const std::string& name);

}  // namespace sf::wire
