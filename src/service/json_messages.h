// The control plane's structs as the API's JSON, and requests back to structs. Strict on input:
// unknown fields are refused. Fields keep their meaning once published; new ones may come.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "control/session_manager.h"
#include "service/session_directory.h"
#include "wire/json.h"

namespace sf::service {

using wire::Json;

Result<CreateSession> create_session_from(const Json& body);
Result<ExecRequest> exec_request_from(const Json& body);
Result<SideRequest> side_request_from(const Json& body);
Result<control::SnapshotRequest> snapshot_request_from(const Json& body);

struct RestoreCall {
  std::string node;
  control::OnDivergence on_divergence = control::OnDivergence::kFail;
};
Result<RestoreCall> restore_call_from(const Json& body);

struct ForkCall {
  std::string node = "HEAD";
  control::ForkRequest request;
};
Result<ForkCall> fork_call_from(const Json& body);

struct CleanupCall {
  std::string node;
  std::string branch = std::string(control::kMainBranch);
  control::Force force = control::Force::kNo;
};
Result<CleanupCall> cleanup_call_from(const Json& body);

Result<WindowSize> window_size_from(const Json& body);
// `keys` or `keys_base64` are bytes as they are typed; `input` is a list of events.
Result<InputEvents> input_from(const Json& body);

struct NodeChange {
  std::optional<std::string> name;
  std::map<std::string, std::optional<std::string>> notes;  // nothing: removed
};
Result<NodeChange> node_change_from(const Json& body);
// A session's new name.
Result<std::string> session_change_from(const Json& body);

// `problem`: why it cannot be used now, or not as it was made; empty if it can.
Json session_to_json(const control::SessionManager& session, const std::string& problem);
// Of a session whose records cannot be used.
Json session_to_json(const control::SessionRecord& record, const std::string& problem);
// The session with all its nodes (parents before their children) and branches.
Json tree_to_json(const control::SessionManager& session);
Json to_json(const control::Node& node);
Json to_json(const control::SessionStats& stats);
Json to_json(const backends::BackendDescription& backend);
Json to_json(const Housekeeping& done);
Json to_json(const ScreenText& screen);
Json to_json(const TerminalPiece& piece);
// `output` is text. When the bytes are not UTF-8, `output_base64` has them as they were.
Json to_json(const Observation& seen);
Json to_json(const SideObservation& seen);
Json to_json(const control::SnapshotReport& report);
Json to_json(const control::RestoreReport& report);
Json to_json(const control::ForkReport& report);
Json to_json(const control::CleanupReport& report);
Json to_json(const control::StateDiff& diff);

}  // namespace sf::service
