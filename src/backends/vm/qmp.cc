#include "backends/vm/qmp.h"

#include <unistd.h>

#include <cerrno>
#include <nlohmann/json.hpp>

#include "os/error.h"
#include "os/file.h"
#include "os/socket.h"

namespace sf::backends {

using wire::Json;

Result<Qmp> Qmp::connect(const std::string& socket, Deadline deadline) {
  SF_TRY_ASSIGN(os::UniqueFd connected, os::connect_unix(socket, deadline));
  Qmp qmp(std::move(connected));
  SF_TRY(qmp.next_line(deadline));  // QEMU's greeting
  SF_TRY(qmp.command("qmp_capabilities", Json::object(), deadline));
  return qmp;
}

Result<Json> Qmp::next_line(Deadline deadline) {
  for (;;) {
    if (std::size_t end = unread_.find('\n'); end != std::string::npos) {
      Json line = Json::parse(unread_.substr(0, end), nullptr, false);
      unread_.erase(0, end + 1);
      if (line.is_object()) return line;
      continue;
    }
    SF_TRY_ASSIGN(bool readable, os::wait_readable(socket_.get(), deadline));
    if (!readable) return fail(ErrorCode::kTimedOut, "QEMU does not answer");
    char buffer[16384];
    ssize_t n = ::read(socket_.get(), buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return fail(ErrorCode::kSessionLost, "QEMU has ended");
    unread_.append(buffer, static_cast<std::size_t>(n));
  }
}

Result<Json> Qmp::command(const std::string& name, const Json& arguments, Deadline deadline) {
  Json request = {{"execute", name}};
  if (!arguments.empty()) request["arguments"] = arguments;
  SF_TRY(os::write_all(socket_.get(), request.dump() + "\n"));
  for (;;) {
    SF_TRY_ASSIGN(Json line, next_line(deadline));
    if (line.contains("return")) return line["return"];
    if (line.contains("error"))
      return fail(ErrorCode::kOs, "QEMU " + name + ": " + line["error"].value("desc", "failed"));
  }
}

Status Qmp::person_command(const std::string& line, Deadline deadline) {
  SF_TRY_ASSIGN(Json said, command("human-monitor-command", {{"command-line", line}}, deadline));
  const std::string text = said.is_string() ? said.get<std::string>() : "";
  if (text.empty()) return Ok{};
  return fail(ErrorCode::kOs, "QEMU " + line.substr(0, line.find(' ')) + ": " + text);
}

}  // namespace sf::backends
