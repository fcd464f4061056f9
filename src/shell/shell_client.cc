#include "shell/shell_client.h"

#include <algorithm>
#include <vector>

#include "shell/branch_config.h"
#include "shell/init/init_protocol.h"
#include "shell/input_queue.h"
#include "shell/screen_message.h"
#include "wire/input_message.h"

namespace sf::waypoint {
namespace {

using wire::Frame;
using wire::Json;

constexpr auto kExecGrace = seconds(60);  // beyond a command's own time-out
constexpr milliseconds kLongest =
    std::chrono::hours(24 * 365);  // of a command; beyond it, arithmetic overflows
constexpr std::size_t kMaxCommand = 64U << 20U;
constexpr std::size_t kMaxOutput = 48U << 20U;  // clean and raw must fit one frame
constexpr auto kShortCall = seconds(30);
constexpr auto kFileCall = seconds(120);  // a large file on a slow disk

Deadline answer_deadline(milliseconds timeout) {
  if (timeout.count() <= 0) return Deadline::never();
  return Deadline::after(std::min(timeout, kLongest) + kExecGrace);
}

Status check_output_cap(std::size_t bytes) {
  if (bytes <= kMaxOutput) return Ok{};
  return invalid("max_output is at most 48 MiB", "let the command write to a file, and copy that");
}

}  // namespace

Result<ExecResult> ShellClient::exec(const ExecRequest& request, const OutputSink& sink) {
  if (request.command.find('\0') != std::string::npos)
    return invalid("a command cannot contain a NUL byte",
                   "bash has no way to hold one; write it as $'\\0' or printf '\\0'");
  if (request.command.size() > kMaxCommand)
    return invalid("a command is at most 64 MiB long", "put the data into a file first");
  SF_TRY(check_output_cap(request.max_output));
  Json header = to_json(request);
  header["op"] = "exec";
  header["stream"] = static_cast<bool>(sink);
  Deadline deadline = answer_deadline(request.timeout);
  SF_TRY_ASSIGN(Frame answer, server_->call({std::move(header), request.command}, deadline,
                                            [&](const Frame& event) {
                                              if (sink) sink(event.payload);
                                            }));
  return exec_result_from_json(answer.header, answer.payload);
}

Result<SideExecResult> ShellClient::side_exec(const SideExecRequest& request) {
  std::vector<std::string> words = request.argv;
  for (const auto& [name, value] : request.env) words.insert(words.end(), {name, value});
  words.insert(words.end(), {request.cwd, request.user});
  for (const std::string& word : words) {
    if (word.find('\0') != std::string::npos)
      return invalid("arguments, environment, directory and user cannot contain a NUL byte");
  }
  SF_TRY(check_output_cap(request.max_output));
  Json header = to_json(request);
  header["op"] = "side_exec";
  if (header.dump().size() > wire::kMaxHeader || words.size() >= kMaxRequestWords / 2)
    return invalid("the arguments and the environment are too long",
                   "at most 1 MiB; give the data as input, or in a file");
  Deadline deadline = answer_deadline(request.timeout);
  SF_TRY_ASSIGN(Frame answer, server_->call({std::move(header), request.input}, deadline));
  return side_exec_result_from_json(answer.header, answer.payload);
}

Result<TypedKeys> ShellClient::send_keys(std::string_view bytes) {
  SF_TRY(InputQueue(kMaxQueuedInput).push(bytes));  // what never fits is not sent
  SF_TRY_ASSIGN(Frame answer,
                server_->call({{{"op", "keys"}}, std::string(bytes)}, Deadline::after(kShortCall)));
  return TypedKeys{answer.header.value("accepted", bytes.size()),
                   answer.header.value("waiting", std::size_t{0})};
}

Result<TypedKeys> ShellClient::send_input(const InputEvents& input) {
  std::string text =
      wire::input_to_json(input).dump(-1, ' ', false, Json::error_handler_t::replace);
  SF_TRY_ASSIGN(Frame answer,
                server_->call({{{"op", "input"}}, std::move(text)}, Deadline::after(kShortCall)));
  return TypedKeys{answer.header.value("accepted", std::size_t{0}),
                   answer.header.value("waiting", std::size_t{0})};
}

Result<ScreenText> ShellClient::screen(std::size_t scrollback_lines) {
  SF_TRY_ASSIGN(Frame answer,
                server_->call({{{"op", "screen"}, {"scrollback", scrollback_lines}}, {}},
                              Deadline::after(kShortCall)));
  return screen_from_frame(answer);
}

Status ShellClient::resize(WindowSize size) {
  BranchConfig probe;
  probe.window = size;
  SF_TRY(check_config(probe));
  SF_TRY(server_->call({{{"op", "resize"}, {"rows", size.rows}, {"cols", size.cols}}, {}},
                       Deadline::after(kShortCall)));
  return Ok{};
}

Status ShellClient::write_file(const std::string& path, std::string_view content) {
  if (path.size() + content.size() > wire::kMaxPayload)
    return invalid("a file of at most 128 MiB can be written",
                   "write it in parts, or let a command in the session fetch it");
  SF_TRY(server_->call(
      {{{"op", "write_file"}, {"path_bytes", path.size()}}, path + std::string(content)},
      Deadline::after(kFileCall)));
  return Ok{};
}

Result<std::string> ShellClient::read_file(const std::string& path, std::size_t max_bytes) {
  SF_TRY_ASSIGN(Frame answer, server_->call({{{"op", "read_file"}, {"max_bytes", max_bytes}}, path},
                                            Deadline::after(kFileCall)));
  return std::move(answer.payload);
}

Result<TerminalWatch> ShellClient::watch() {
  SF_TRY_ASSIGN(KeeperStream stream, server_->open_stream({{{"op", "watch"}}, {}}));
  return TerminalWatch(std::move(stream));
}

}  // namespace sf::waypoint
