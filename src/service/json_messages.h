// Converts the control plane's structs to the API's JSON, and requests to structs. Unknown fields
// in requests are refused. A published field keeps its meaning; new fields may be added.
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
// `keys` and `keys_base64` are the bytes to type; `input` is a list of events.
Result<InputEvents> input_from(const Json& body);

struct NodeChange {
  std::optional<std::string> name;
  std::map<std::string, std::optional<std::string>> notes;  // nullopt: remove the note
};
Result<NodeChange> node_change_from(const Json& body);
// The new name of a session.
Result<std::string> session_change_from(const Json& body);

// `problem`: why the session cannot be used now, or not in full; empty if it can.
Json session_to_json(const control::SessionManager& session, const std::string& problem);
// For a session with unusable records.
Json session_to_json(const control::SessionRecord& record, const std::string& problem);
// The session with all its nodes (parents before their children) and branches.
Json tree_to_json(const control::SessionManager& session);
Json to_json(const control::Node& node);
Json to_json(const control::SessionStats& stats);
Json to_json(const backends::BackendDescription& backend);
Json to_json(const Housekeeping& done);
Json to_json(const ScreenText& screen);
Json to_json(const TerminalPiece& piece);
// `output` is text. If the bytes are not UTF-8, `output_base64` has the original bytes.
Json to_json(const Observation& seen);
Json to_json(const SideObservation& seen);
Json to_json(const control::SnapshotReport& report);
Json to_json(const control::RestoreReport& report);
Json to_json(const control::ForkReport& report);
Json to_json(const control::CleanupReport& report);
Json to_json(const control::StateDiff& diff);

}  // namespace sf::service
