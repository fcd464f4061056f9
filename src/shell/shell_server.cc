#include "shell/shell_server.h"

#include <algorithm>
#include <utility>

#include "base/request_limits.h"
#include "terminal/input_encoding.h"
#include "wire/input_message.h"

namespace sf::waypoint {

namespace {

constexpr auto kPromptTimeout =
    seconds(2);  // time limit of a command that waits for a terminal in use
constexpr auto kPromptLook = milliseconds(5);
// Delay before the prompt is shown again to a watcher that types. If the next command follows
// within this time, no prompt is needed.
constexpr auto kPromptReturn = milliseconds(50);

// Approximate size in memory. Counts the events, too, since a mouse event has no text.
std::size_t size_of(const InputEvents& input) {
  std::size_t size = 0;
  for (const InputEvent& event : input) size += sizeof event + event.text.size();
  return size;
}

}  // namespace

ShellServer::ShellServer(ShellHost& host, ChangeGate& gate, ListBackground list_background,
                         OnBusy on_busy)
    : host_(host),
      gate_(gate),
      list_background_(std::move(list_background)),
      on_busy_(std::move(on_busy)) {
  host_.shell().on_output = [this](std::string_view bytes) { show(bytes); };
  operations_.add(this, &ShellServer::exec);
  operations_.add(this, &ShellServer::side_exec);
  operations_.add(this, &ShellServer::input);
  operations_.add(this, &ShellServer::keys);
  operations_.add(this, &ShellServer::screen);
  operations_.add(this, &ShellServer::resize);
  operations_.add(this, &ShellServer::write_file);
  operations_.add(this, &ShellServer::read_file);
  operations_.add(this, &ShellServer::watch);
}

ShellServer::~ShellServer() { host_.shell().on_output = nullptr; }

Status ShellServer::watch(const ClientPtr& client, wire::WatchCall /*call*/) {
  paint(watchers_.emplace_back(Watcher{client, {}}), host_.shell().screen());
  return Ok{};
}

Deadline ShellServer::next_wake() const {
  Deadline wake = host_.next_wake().min(prompt_due_);
  return waiting_.empty() ? wake : wake.min(Deadline::after(kPromptLook));
}

Status ShellServer::exec(const ClientPtr& client, wire::ExecCall call) {
  waiting_.push_back(
      {client, std::move(call.request), call.stream, Deadline::after(kPromptTimeout)});
  run_waiting();
  return Ok{};
}

void ShellServer::run_waiting() {
  type_waiting();
  return_prompt();
  while (!waiting_.empty()) {
    ShellDriver& shell = host_.shell();
    if (shell.busy()) {  // a command of a client runs; the next one starts when it ends
      waiting_.front().patience = Deadline::after(kPromptTimeout);
      break;
    }
    if (auto failure = host_.shell_failure()) {
      if (std::exchange(waiting_.front().started_shell, true)) {
        waiting_.front().client->send_error(*failure);
        waiting_.pop_front();
        continue;
      }
      host_.start_shell_again(gate_.open());
      break;
    }
    if (!shell.ready()) {
      if (!waiting_.front().patience.passed() || shell.is_starting()) break;
      waiting_.front().client->send_error(
          fail(ErrorCode::kBusy,
               "the terminal is in use by: " + shell.foreground_name() +
                   (shell.input_waits() ? ", and typed keys wait to be read" : ""),
               "wait until it ends, or send it keys (\"\\x03\" interrupts)"));
      waiting_.pop_front();
      continue;
    }
    WaitingExec next = std::move(waiting_.front());
    waiting_.pop_front();
    if (next.client->gone()) continue;
    run_now(std::move(next));
  }
}

void ShellServer::run_now(WaitingExec next) {
  ClientPtr client = next.client;
  OutputSink sink;
  if (next.stream)
    sink = [client](std::string_view bytes) {
      client->send({{{"event", "output"}}, std::string(bytes)});
    };
  if (on_busy_) on_busy_(true);
  if (!background_) background_ = list_background_();
  host_.shell().run(gate_.open(), std::move(next.request), std::move(sink),
                    [this, client](Result<Observation> result) {
                      if (on_busy_) on_busy_(false);
                      if (wants_prompt_) prompt_due_ = Deadline::after(kPromptReturn);
                      if (!result) return client->send_error(result.error());
                      result->left_background = has_new_background();
                      (void)answer(client, *result);
                    });
}

bool ShellServer::has_new_background() {
  const std::optional<ProcessSet> before = std::exchange(background_, list_background_());
  return !std::ranges::includes(*before, *background_);
}

Status ShellServer::side_exec(const ClientPtr& client, wire::SideExecCall call) {
  if (call.request.argv.empty())
    return invalid("a side command needs a program", "put its name first in argv");
  host_.side_exec(gate_.open(), call.request, [client](Result<SideObservation> result) {
    if (!result) return client->send_error(result.error());
    (void)answer(client, *result);
  });
  return Ok{};
}

Status ShellServer::input(const ClientPtr& client, wire::InputCall call) {
  SF_TRY_ASSIGN(InputEvents input,
                wire::input_from_json(wire::Json::parse(call.events, nullptr, false)));
  SF_TRY(await_prompt({client, std::move(input)}));
  type_waiting();
  return Ok{};
}

// A call without keys means that its client is about to type and wants to see the prompt.
Status ShellServer::keys(const ClientPtr& client, wire::KeysCall call) {
  if (call.bytes.empty()) {
    wants_prompt_ = true;
    SF_TRY(host_.shell().show_prompt(gate_.open()));
  }
  if (inputs_.empty()) return type(client, call.bytes);
  return await_prompt({client, {InputEvent{InputEvent::Kind::kText, std::move(call.bytes), {}}}});
}

// The first waiting input has no size limit here: the terminal's input queue checks whether it
// fits.
Status ShellServer::await_prompt(WaitingInput next) {
  const std::size_t size = size_of(next.input);
  if (!inputs_.empty() && input_bytes_ + size > kMaxQueuedInput)
    return fail(ErrorCode::kBusy,
                std::to_string(input_bytes_) +
                    " bytes of input wait for the shell's prompt. Nothing was typed",
                "wait until the shell shows its prompt");
  input_bytes_ += size;
  inputs_.push_back(std::move(next));
  return Ok{};
}

// Types each waiting input as a whole or not at all, encoded for the terminal's current modes.
void ShellServer::type_waiting() {
  while (!inputs_.empty()) {
    ShellDriver& shell = host_.shell();
    if (shell.needs_prompt()) {
      Status shown = shell.show_prompt(gate_.open());
      if (shown && shell.is_entering()) return;
    }
    const WaitingInput next = std::move(inputs_.front());
    inputs_.pop_front();
    input_bytes_ -= size_of(next.input);
    shell.on_terminal();  // unread output may switch the modes
    auto bytes = encode_input(next.input, shell.screen().modes(), shell.screen().size());
    Status typed = bytes ? type(next.client, *bytes) : Status(std::move(bytes).error());
    if (!typed) next.client->send_error(typed.error());
  }
}

void ShellServer::return_prompt() {
  if (!prompt_due_.passed()) return;
  prompt_due_ = Deadline::never();
  std::erase_if(watchers_, [](const Watcher& watcher) { return watcher.client->gone(); });
  wants_prompt_ = wants_prompt_ && !watchers_.empty();
  if (wants_prompt_ && waiting_.empty()) (void)host_.shell().show_prompt(gate_.open());
}

Status ShellServer::type(const ClientPtr& client, std::string_view bytes) {
  SF_TRY_ASSIGN(TypedKeys typed, host_.shell().type(gate_.open(), bytes));
  return answer(client, typed);
}

Status ShellServer::screen(const ClientPtr& client, wire::ScreenCall call) {
  Screen& screen = host_.shell().screen();
  ScreenText text = screen.text();
  text.scrollback = screen.scrollback(call.scrollback);
  return answer(client, text);
}

Status ShellServer::resize(const ClientPtr& client, wire::ResizeCall call) {
  SF_TRY(host_.resize(gate_.open(), call.size));
  for (Watcher& watcher : watchers_) paint(watcher, host_.shell().screen());
  return answer(client, wire::Done{});
}

Status ShellServer::write_file(const ClientPtr& client, wire::WriteFileCall call) {
  SF_TRY(host_.write_file(gate_.open(), call.path, call.content));
  return answer(client, wire::Done{});
}

Status ShellServer::read_file(const ClientPtr& client, wire::ReadFileCall call) {
  SF_TRY_ASSIGN(std::string content,
                host_.read_file(call.path, std::min(call.max_bytes, wire::kMaxPayload)));
  return answer(client, wire::FileContent{std::move(content)});
}

void ShellServer::paint(Watcher& watcher, Screen& screen) {
  watcher.filter = {};
  std::string painted = watcher.filter.feed(screen.repaint());
  (void)answer(watcher.client, TerminalPiece{std::move(painted), screen.size()});
}

void ShellServer::show(std::string_view bytes) {
  std::erase_if(watchers_, [](const Watcher& watcher) { return watcher.client->gone(); });
  for (Watcher& watcher : watchers_) {
    std::string passed = watcher.filter.feed(bytes);
    if (!passed.empty()) (void)answer(watcher.client, TerminalPiece{std::move(passed)});
  }
}

}  // namespace sf::waypoint
