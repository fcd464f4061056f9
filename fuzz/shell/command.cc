// Commands and results between manager and keeper: refused with a reason, or the same when sent on.
#include "shell/command.h"

#include <nlohmann/json.hpp>

#include "input.h"

namespace sf::fuzz {
namespace {

using namespace waypoint;  // NOLINT: this file is about nothing else
using wire::Json;

// `read` makes a message of JSON and payload, to_json() and `payload_of` make these of it again.
template <typename Read, typename PayloadOf>
void check_message(const Json& json, const std::string& payload, Read read, PayloadOf payload_of) {
  auto message = read(json, payload);
  if (!message) return check_clear(message.error(), ErrorCode::kCorrupt);
  SF_CHECK(payload_of(*message) == payload);
  Json written = to_json(*message);
  auto again = read(written, payload);
  SF_CHECK(again.ok());
  SF_CHECK(to_json(*again) == written);
}

}  // namespace

void command(std::string_view input) {
  Input in(input);
  Json json = Json::parse(in.until('\0'), nullptr, false);
  const std::string payload(in.rest());
  check_message(json, payload, exec_request_from_json,
                [](const ExecRequest& r) { return r.command; });
  check_message(json, payload, exec_result_from_json,
                [](const ExecResult& r) { return r.output + r.raw + r.background; });
  check_message(json, payload, side_exec_request_from_json,
                [](const SideExecRequest& r) { return r.input; });
  check_message(json, payload, side_exec_result_from_json,
                [](const SideExecResult& r) { return r.standard_output + r.standard_error; });
}

}  // namespace sf::fuzz
