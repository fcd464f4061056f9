// .../branches/{b}/files: reads and writes files.
#include <nlohmann/json.hpp>

#include "base/request_limits.h"
#include "service/call_target.h"
#include "service/json_messages.h"
#include "service/routes.h"

namespace sf::service {
namespace {

Result<std::string> path_of(const Call& call) {
  std::string path = parameter(call, "path");
  if (path.empty()) return invalid("\"path\" is missing", "add ?path=/absolute/path");
  return path;
}

Result<Answer> read_file(SessionDirectory& directory, const Call& call) {
  SF_TRY_ASSIGN(BranchTarget at, branch_target(directory, call));
  SF_TRY_ASSIGN(std::string path, path_of(call));
  SF_TRY_ASSIGN(std::string bytes, at.session->read_file(at.branch, path, kMaxFileRead));
  return Answer{200, {}, Reply{200, "application/octet-stream", std::move(bytes), {}}};
}

Result<Answer> write_file(SessionDirectory& directory, const Call& call) {
  SF_TRY_ASSIGN(BranchTarget at, branch_target(directory, call));
  SF_TRY_ASSIGN(std::string path, path_of(call));
  if (call.bytes.size() > kMaxFileWrite)
    return invalid("the file has more than " + std::to_string(kMaxFileWrite) + " bytes",
                   "send it in parts and join them with a command");
  SF_TRY(at.session->write_file(at.branch, path, std::string(call.bytes)));
  return Answer{200, {{"path", path}, {"bytes", call.bytes.size()}}, {}};
}

}  // namespace

void add_file_routes(Router& router, SessionDirectory& directory) {
  auto bind = [&directory](Result<Answer> (*handler)(SessionDirectory&, const Call&)) {
    return [&directory, handler](const Call& call) { return handler(directory, call); };
  };
  const std::string branch = "/v1/sessions/{s}/branches/{b}";
  router.add("GET", branch + "/files", bind(read_file), {"path"});
  router.add("PUT", branch + "/files", bind(write_file), {"path"}, BodyKind::kBytes);
}

}  // namespace sf::service
