// .../branches/{b}/{keys,screen,resize,terminal}: the terminal of a branch.
#include <limits>
#include <nlohmann/json.hpp>

#include "base/request_limits.h"
#include "service/call_target.h"
#include "service/json_messages.h"
#include "service/routes.h"
#include "wire/problem.h"

namespace sf::service {
namespace {

Result<Answer> keys(SessionDirectory& directory, const Call& call) {
  SF_TRY_ASSIGN(BranchTarget at, branch_target(directory, call));
  SF_TRY_ASSIGN(InputEvents input, input_from(call.body));
  const bool is_text = input.size() == 1 && input.front().kind == InputEvent::Kind::kText;
  SF_TRY_ASSIGN(TypedKeys sent, is_text ? at.session->send_keys(at.branch, input.front().text)
                                        : at.session->send_input(at.branch, input));
  return Answer{200, {{"accepted_bytes", sent.accepted}, {"waiting_bytes", sent.waiting}}, {}};
}

Result<Answer> screen(SessionDirectory& directory, const Call& call) {
  SF_TRY_ASSIGN(BranchTarget at, branch_target(directory, call));
  SF_TRY_ASSIGN(std::uint64_t lines, number_parameter(call, "scrollback", 0, kMaxScrollback));
  SF_TRY_ASSIGN(ScreenText shown, at.session->screen(at.branch, lines));
  return Answer{200, to_json(shown), {}};
}

constexpr seconds kHeartbeat{15};

// The session counts as used until the client closes the stream.
Result<Answer> watch(SessionDirectory& directory, const Call& call) {
  SF_TRY_ASSIGN(BranchTarget at, branch_target(directory, call));
  SF_TRY_ASSIGN(std::shared_ptr<TerminalFeed> feed, at.session->watch(at.branch));
  auto source = [at, feed, over = false]() mutable -> std::optional<std::string> {
    if (over) return std::nullopt;
    auto piece = feed->next(Deadline::after(kHeartbeat));
    over = !piece.ok();
    if (over) return to_event_text("problem", wire::problem_from_error(piece.error()));
    return *piece ? to_event_text("terminal", to_json(**piece)) : ": nothing new\n\n";
  };
  return Answer{200, {}, Reply{200, "text/event-stream", {}, std::move(source)}};
}

Result<Answer> resize(SessionDirectory& directory, const Call& call) {
  SF_TRY_ASSIGN(BranchTarget at, branch_target(directory, call));
  SF_TRY_ASSIGN(WindowSize size, window_size_from(call.body));
  SF_TRY(at.session->resize(at.branch, size.rows, size.cols));
  return Answer{200, Json::object(), {}};
}

}  // namespace

void add_terminal_routes(Router& router, SessionDirectory& directory) {
  auto bind = [&directory](Result<Answer> (*handler)(SessionDirectory&, const Call&)) {
    return [&directory, handler](const Call& call) { return handler(directory, call); };
  };
  const std::string branch = "/v1/sessions/{s}/branches/{b}";
  router.add("POST", branch + "/keys", bind(keys));
  router.add("GET", branch + "/screen", bind(screen), {"scrollback"});
  router.add("POST", branch + "/resize", bind(resize));
  router.add("GET", branch + "/terminal", bind(watch));
}

}  // namespace sf::service
