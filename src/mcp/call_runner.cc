#include "mcp/call_runner.h"

#include <utility>

#include "base/scope_exit.h"
#include "cli/daemon/execution_watch.h"
#include "cli/render/text_layout.h"
#include "os/socket.h"

namespace sf::cli::mcp {
namespace {

constexpr std::size_t kShownLine = 200;
constexpr int kMaxCtrlC = 10;
constexpr milliseconds kCtrlCPause{500};

std::string_view last_line_of(std::string_view text) {
  std::size_t end = text.find_last_not_of(" \t\r\n");
  if (end == std::string_view::npos) return {};
  text = text.substr(0, end + 1);
  std::size_t start = text.rfind('\n');
  return start == std::string_view::npos ? text : text.substr(start + 1);
}

Result<Json> send_json(const ApiClient& client, const ApiCall& request) {
  if (request.method == "GET") return client.get(request.path);
  if (request.method == "DELETE") return client.remove(request.path);
  return client.post(request.path, request.body);
}

}  // namespace

ToolResult CallRunner::run(const ToolCall& call) {
  try {
    auto result = attempt(call);
    return result ? std::move(*result) : failure(result.error());
  } catch (const Json::exception& error) {
    return failure(fail(ErrorCode::kCorrupt,
                        std::string("malformed reply from the daemon: ") + error.what(),
                        "check that client and daemon have the same version"));
  }
}

Result<ToolResult> CallRunner::attempt(const ToolCall& call) {
  SF_TRY_ASSIGN(ApiCall request, call.tool->request(call.arguments));
  SF_TRY(probe_daemon());
  Result<Json> answer = put(call, request);
  // The daemon may have ended since the last call. The call was not carried out, so repeat it.
  bool may_be_gone = !answer && answer.error().code == ErrorCode::kNotFound;
  if (may_be_gone && !os::connect_unix(location_.socket_path).ok()) {
    {
      std::lock_guard lock(looking_);
      is_daemon_there_ = false;
    }
    SF_TRY(probe_daemon());
    answer = put(call, request);
  }
  if (!answer) return std::move(answer).error();
  return call.tool->present(call.arguments, *answer);
}

// Called once: a probe before each call would double the connections.
Status CallRunner::probe_daemon() {
  std::lock_guard lock(looking_);
  if (is_daemon_there_) return Ok{};
  SF_TRY(ensure_daemon(location_));
  is_daemon_there_ = true;
  return Ok{};
}

Result<Json> CallRunner::put(const ToolCall& call, const ApiCall& request) {
  switch (call.tool->way) {
    case Way::kJson:
      return send_json(client_, request);
    case Way::kReadBytes: {
      SF_TRY_ASSIGN(std::string bytes, client_.get_bytes(request.path));
      return Json(std::move(bytes));
    }
    case Way::kWriteBytes:
      return client_.put_bytes(request.path, request.bytes);
    case Way::kExecution:
      return execute(call, request);
  }
  return fail(ErrorCode::kUnsupported, "this tool has no request");
}

Result<Json> CallRunner::execute(const ToolCall& call, const ApiCall& request) {
  SF_TRY_ASSIGN(Json started, client_.post(request.path, request.body));
  auto command = std::make_shared<Command>();
  command->path = request.path + "/" + client::path_part(started.value("execution", ""));
  {
    std::lock_guard lock(mutex_);
    commands_[call.ticket] = command;
  }
  ScopeExit forget([&] {
    {
      std::lock_guard lock(mutex_);
      commands_.erase(call.ticket);
    }
    std::lock_guard wait_for_ctrl_c(command->sending);
    command->is_over = true;
    command->ended.notify_all();
  });
  if (call.cancelled->load()) interrupt(call.ticket);  // cancelled during the start

  ApiClient::Gate gate;
  WatchCallbacks callbacks{[&](std::string_view text) { note_output(*command, text); }, [] {}};
  auto result = watch_execution(client_, command->path, gate, callbacks);
  if (result) return std::move(**result);  // the gate is never closed, so there is a result
  Error error = std::move(result).error();
  // The command was started, so kNotFound must not look like a call that was not carried out.
  if (error.code == ErrorCode::kNotFound) error.code = ErrorCode::kOs;
  return error;
}

void CallRunner::interrupt(Ticket ticket) {
  std::shared_ptr<Command> command;
  {
    std::lock_guard lock(mutex_);
    auto found = commands_.find(ticket);
    if (found == commands_.end()) return;
    command = found->second;
  }
  interruptions_.add("", [this, command] { send_ctrl_c(*command); });
}

// Sends it repeatedly: a Ctrl-C while the shell is starting the next program has no effect.
void CallRunner::send_ctrl_c(Command& command) const {
  std::unique_lock lock(command.sending);
  if (std::exchange(command.is_interrupted, true)) return;
  for (int i = 0; i < kMaxCtrlC && !command.is_over; ++i) {
    // Ignores errors: the call was cancelled, so it has no answer; the command's time limit
    // remains.
    (void)client_.post(command.path + "/interrupt", Json::object());
    command.ended.wait_for(lock, kCtrlCPause, [&] { return command.is_over; });
  }
}

std::vector<CommandProgress> CallRunner::progress() const {
  std::lock_guard lock(mutex_);
  std::vector<CommandProgress> all;
  for (const auto& [ticket, command] : commands_) {
    std::string message = "running for " + duration_text(command->since.elapsed().count());
    if (!command->last_line.empty()) message += ": " + command->last_line;
    auto seconds = std::chrono::duration<double>(command->since.elapsed()).count();
    all.push_back({ticket, seconds, std::move(message)});
  }
  return all;
}

void CallRunner::note_output(Command& command, std::string_view text) {
  std::string_view line = last_line_of(text);
  if (line.empty()) return;
  std::lock_guard lock(mutex_);
  command.last_line = one_line(line, kShownLine);
}

}  // namespace sf::cli::mcp
