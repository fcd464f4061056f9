#include "backends/shell_answers.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace sf::backends {
namespace {

class Feed final : public control::TerminalFeed {
 public:
  explicit Feed(waypoint::TerminalWatch watch) : watch_(std::move(watch)) {}
  Result<std::optional<control::TerminalPiece>> next(Deadline deadline) override {
    SF_TRY_ASSIGN(std::optional<waypoint::TerminalPiece> piece, watch_.next(deadline));
    if (!piece) return std::optional<control::TerminalPiece>();
    waypoint::WindowSize size = piece->repaints.value_or(waypoint::WindowSize{0, 0});
    return std::optional(control::TerminalPiece{.bytes = std::move(piece->bytes),
                                                .is_repaint = piece->repaints.has_value(),
                                                .rows = size.rows,
                                                .cols = size.cols});
  }

 private:
  waypoint::TerminalWatch watch_;
};

}  // namespace

waypoint::ExecRequest shell_request(const control::ExecRequest& request) {
  return {.command = request.command,
          .timeout = request.timeout,
          .max_output = request.max_output,
          .raw = request.raw};
}

waypoint::SideExecRequest side_request(const control::SideRequest& request) {
  return {.argv = request.argv,
          .env = request.env,
          .cwd = request.cwd,
          .user = request.user,
          .input = request.input,
          .timeout = request.timeout,
          .max_output = request.max_output};
}

control::SideObservation side_observation_of(waypoint::SideExecResult done) {
  return {.exit_code = done.exit_code,
          .standard_output = std::move(done.standard_output),
          .standard_error = std::move(done.standard_error),
          .duration = done.duration,
          .timed_out = done.timed_out,
          .truncated = done.truncated};
}

control::Observation observation_of(waypoint::ExecResult done) {
  return {.exit_code = done.exit_code,
          .output = std::move(done.output),
          .raw = std::move(done.raw),
          .background = std::move(done.background),
          .output_bytes = done.output_bytes,
          .raw_hash = done.raw_hash,
          .duration = done.duration,
          .timed_out = done.timed_out,
          .truncated = done.truncated,
          .shell_restarted = done.shell_restarted,
          .left_background = done.left_background};
}

control::TerminalScreen screen_of(waypoint::ScreenText shown) {
  // The lines that scrolled away and the window's come as one list.
  auto above = static_cast<std::ptrdiff_t>(
      shown.rows.size() - std::min<std::size_t>(shown.rows.size(), shown.size.rows));
  auto first_row = std::make_move_iterator(shown.rows.begin() + above);
  return {.rows = {first_row, std::make_move_iterator(shown.rows.end())},
          .scrollback = {std::make_move_iterator(shown.rows.begin()), first_row},
          .cursor_row = shown.cursor_row,
          .cursor_col = shown.cursor_col,
          .cursor_visible = shown.cursor_visible,
          .alternate_screen = shown.alternate_screen,
          .title = std::move(shown.title)};
}

std::unique_ptr<control::TerminalFeed> feed_of(waypoint::TerminalWatch watch) {
  return std::make_unique<Feed>(std::move(watch));
}

}  // namespace sf::backends
