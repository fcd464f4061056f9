// CRIU's replies: rejected with a reason, or decoded; the encoded result decodes to the same.
#include "engine/criu/rpc_codec.h"

#include "engine/criu/varint.h"
#include "input.h"

namespace sf::fuzz {
namespace {

using waypoint::criu::append_varint;
using waypoint::criu::Response;

void put(std::string& out, unsigned field, std::uint64_t value) {
  append_varint(out, field << 3U);
  append_varint(out, value);
}
void put(std::string& out, unsigned field, std::string_view value) {
  append_varint(out, field << 3U | 2U);
  append_varint(out, value.size());
  out += value;
}

std::string written(const Response& response) {
  std::string notify;
  put(notify, 1, response.notify_script);
  put(notify, 2, static_cast<std::uint64_t>(response.pid));
  std::string out;
  put(out, 1, static_cast<std::uint64_t>(response.type));
  put(out, 2, response.success ? 1 : 0);
  put(out, 5, notify);
  put(out, 7, static_cast<std::uint64_t>(response.os_errno));
  put(out, 9, response.error_message);
  return out;
}

}  // namespace

void rpc_codec(std::string_view input) {
  auto response = waypoint::criu::decode_response(input);
  if (!response) return check_clear(response.error(), ErrorCode::kCorrupt);
  auto again = waypoint::criu::decode_response(written(*response));
  SF_CHECK(again.ok());
  SF_CHECK(again->type == response->type && again->success == response->success);
  SF_CHECK(again->notify_script == response->notify_script && again->pid == response->pid);
  SF_CHECK(again->os_errno == response->os_errno);
  SF_CHECK(again->error_message == response->error_message);
}

}  // namespace sf::fuzz
