#include "shell/shell_client.h"

#include <algorithm>
#include <vector>

#include "base/request_limits.h"
#include "shell/branch_config.h"
#include "shell/init/init_protocol.h"
#include "shell/input_queue.h"
#include "wire/input_message.h"

namespace sf::waypoint {
namespace {

using wire::Frame;
using wire::Json;

constexpr auto kExecGrace = seconds(60);  // in addition to a command's own time limit
constexpr auto kShortCall = seconds(30);
constexpr auto kFileCall = seconds(120);               // for a large file on a slow disk
constexpr auto kFactsCall = std::chrono::minutes(15);  // may wait for a capture of many gigabytes

Deadline answer_deadline(milliseconds timeout) {
  if (timeout.count() <= 0) return Deadline::never();
  return Deadline::after(std::min(timeout, kMaxTimeout) + kExecGrace);
}

std::string mebibytes(std::size_t bytes) { return std::to_string(bytes >> 20U) + " MiB"; }

Status check_output_cap(std::size_t bytes) {
  if (bytes <= kMaxOutput) return Ok{};
  return invalid("max_output must be at most " + mebibytes(kMaxOutput),
                 "let the command write to a file, and copy the file");
}

}  // namespace

Result<Observation> ShellClient::exec(const ExecRequest& request, const OutputSink& sink) {
  if (request.command.find('\0') != std::string::npos)
    return invalid("a command cannot contain a NUL byte",
                   "bash cannot store one; write it as $'\\0' or printf '\\0'");
  if (request.command.size() > kMaxCommand)
    return invalid("a command must be at most " + mebibytes(kMaxCommand) + " long",
                   "write its data to a file first");
  SF_TRY(check_output_cap(request.max_output));
  return server_->ask(wire::ExecCall{request, static_cast<bool>(sink)},
                      answer_deadline(request.timeout), [&](const Frame& event) {
                        if (sink) sink(event.payload);
                      });
}

Result<SideObservation> ShellClient::side_exec(const SideRequest& request) {
  std::vector<std::string> words = request.argv;
  for (const auto& [name, value] : request.env) words.insert(words.end(), {name, value});
  words.insert(words.end(), {request.cwd, request.user});
  for (const std::string& word : words) {
    if (word.find('\0') != std::string::npos)
      return invalid("arguments, environment, directory and user cannot contain a NUL byte");
  }
  SF_TRY(check_output_cap(request.max_output));
  const Frame frame = wire::to_frame(wire::SideExecCall{request});
  if (frame.header.dump().size() > wire::kMaxHeader || words.size() >= kMaxRequestWords / 2)
    return invalid("the arguments and the environment are too long",
                   "the limit is 1 MiB; pass the data as input, or in a file");
  SF_TRY_ASSIGN(Frame reply, server_->call(frame, answer_deadline(request.timeout)));
  return wire::from_frame<SideObservation>(std::move(reply));
}

Result<TypedKeys> ShellClient::send_keys(std::string_view bytes) {
  SF_TRY(InputQueue(kMaxQueuedInput).push(bytes));  // refuses bytes that can never fit
  return server_->ask(wire::KeysCall{std::string(bytes)}, Deadline::after(kShortCall));
}

Result<TypedKeys> ShellClient::send_input(const InputEvents& input) {
  std::string text =
      wire::input_to_json(input).dump(-1, ' ', false, Json::error_handler_t::replace);
  return server_->ask(wire::InputCall{std::move(text)}, Deadline::after(kShortCall));
}

Result<ScreenText> ShellClient::screen(std::size_t scrollback_lines) {
  return server_->ask(wire::ScreenCall{scrollback_lines}, Deadline::after(kShortCall));
}

Status ShellClient::resize(WindowSize size) {
  BranchConfig probe;
  probe.window = size;
  SF_TRY(check_config(probe));
  SF_TRY(server_->ask(wire::ResizeCall{size}, Deadline::after(kShortCall)));
  return Ok{};
}

Status ShellClient::write_file(const std::string& path, std::string_view content) {
  if (content.size() > kMaxFileWrite)
    return invalid("cannot write more than " + mebibytes(kMaxFileWrite) + " to a file at once",
                   "write it in parts, or let a command in the session fetch it");
  SF_TRY(server_->ask(wire::WriteFileCall{path, std::string(content)}, Deadline::after(kFileCall)));
  return Ok{};
}

Result<std::string> ShellClient::read_file(const std::string& path, std::size_t max_bytes) {
  SF_TRY_ASSIGN(wire::FileContent content,
                server_->ask(wire::ReadFileCall{path, std::min(max_bytes, kMaxFileRead)},
                             Deadline::after(kFileCall)));
  return std::move(content.bytes);
}

Result<BranchFacts> ShellClient::facts() {
  return server_->ask(wire::FactsCall{}, Deadline::after(kFactsCall));
}

Result<TerminalWatch> ShellClient::watch() {
  SF_TRY_ASSIGN(KeeperStream stream, server_->open_stream(wire::to_frame(wire::WatchCall{})));
  return TerminalWatch(std::move(stream));
}

}  // namespace sf::waypoint
