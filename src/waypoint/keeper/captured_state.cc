#include "waypoint/keeper/captured_state.h"

#include <algorithm>
#include <utility>

#include "wire/message_fields.h"

namespace sf::waypoint {

using wire::Is;
using wire::Json;

template <typename F, Is<FoundProgram> M>
void describe(F& f, M& m) {
  f.bytes("name", m.name);
  f.bytes("path", m.path);
  f.field("hits", m.hits);
}

template <typename F, Is<CatchUp> M>
void describe(F& f, M& m) {
  f.field("status", m.status);
  f.bytes("last_word", m.last_word);
  f.field("lines", m.lines);
  f.bytes("commands", m.commands);
  f.optional("times", m.times);
  f.list("programs", m.programs);
}

template <typename F, Is<StateFingerprint> M>
void describe(F& f, M& m) {
  f.field("digest", m.digest);
  f.field("commands", m.commands);
  f.field("line", m.line);
}

template <typename F, Is<CapturedState> M>
void describe(F& f, M& m) {
  f.field("hostname", m.hostname);
  f.field("user", m.user.name);
  f.field("home", m.user.home);
  f.field("uid", m.user.credentials.uid);
  f.field("gid", m.user.credentials.gid);
  f.field("groups", m.user.credentials.groups);
  f.field("last_pid", m.last_pid);
  f.field("own_ipc", m.own_ipc);
  f.field("tcp_in_flight", m.tcp_in_flight);
  f.field("shell_pid", m.shell.shell);
  f.field("holder_pid", m.shell.holder);
  f.field("prompt_read", m.shell.prompt_read);
  f.field("commands", m.shell.commands);
  f.field("command_running", m.shell.command_running);
  f.field("stopped_us", m.stopped);
  f.optional("may_hold", m.may_hold);
  f.optional("request_pending", m.shell.request_pending);
  f.optional("may_act", m.shell.may_act);
  f.optional("shows_prompt", m.shell.shows_prompt);
  f.optional("defines_switch", m.shell.defines_switch);
  f.optional("history_off", m.shell.history_off);
  f.optional("mark", m.fingerprint);
  f.optional("catch_up", m.shell.catch_up);
  f.optional("typed_ends", m.shell.typed.ends);
  // The terminal's bytes, in this order.
  f.piece("screen_size", m.shell.screen);
  f.piece("background_size", m.shell.background);
  f.piece("typed_size", m.shell.typed.bytes);
  f.optional_piece("waiting_size", m.shell.waiting);
}

Json to_json(const StateFingerprint& fingerprint) {
  return wire::write_message(fingerprint).header;
}

Result<StateFingerprint> state_fingerprint_from_json(const Json& json) {
  return wire::read_message<StateFingerprint>({json, {}}, "state fingerprint");
}

Json to_json(const CapturedState& state) { return wire::write_message(state).header; }

std::vector<std::string> captured_state_keys() { return wire::message_keys<CapturedState>(); }

std::string terminal_bytes(const CapturedState& state) {
  return wire::write_message(state).payload;
}

Result<CapturedState> captured_state_from_json(const Json& json, const std::string& terminal) {
  SF_TRY_ASSIGN(CapturedState state,
                wire::read_message<CapturedState>({json, terminal}, "captured state"));
  const std::vector<std::size_t>& ends = state.shell.typed.ends;
  if (!std::ranges::is_sorted(ends) ||
      (!ends.empty() && ends.back() > state.shell.typed.bytes.size()))
    return fail(ErrorCode::kCorrupt, "the checkpoint's typed_ends are outside of the typed bytes");
  return state;
}

}  // namespace sf::waypoint
