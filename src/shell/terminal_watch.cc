#include "shell/terminal_watch.h"

#include <nlohmann/json.hpp>

namespace sf::waypoint {

using wire::Frame;
using wire::Json;

Frame terminal_frame(TerminalPiece piece) {
  Json header = {{"event", "terminal"}};
  if (piece.repaints) {
    header["rows"] = piece.repaints->rows;
    header["cols"] = piece.repaints->cols;
  }
  return {std::move(header), std::move(piece.bytes)};
}

Result<std::optional<TerminalPiece>> TerminalWatch::next(Deadline deadline) {
  SF_TRY_ASSIGN(std::optional<Frame> frame, stream_.next(deadline));
  if (!frame) return std::optional<TerminalPiece>();
  TerminalPiece piece{.bytes = std::move(frame->payload)};
  if (frame->header.contains("rows") && frame->header.contains("cols"))
    piece.repaints = WindowSize{frame->header["rows"].get<std::uint16_t>(),
                                frame->header["cols"].get<std::uint16_t>()};
  return std::optional(std::move(piece));
}

}  // namespace sf::waypoint
