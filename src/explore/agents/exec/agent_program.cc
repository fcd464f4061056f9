#include "explore/agents/exec/agent_program.h"

#include <sys/epoll.h>
#include <unistd.h>

#include <csignal>
#include <utility>

#include "explore/agents/quote.h"
#include "os/socket.h"

namespace sf::explore {
namespace {

using wire::Json;

constexpr seconds kPoliteEnd{2};

// Leaves all signals to the other threads. SIGPIPE must be blocked: a write to a program that has
// exited then fails with EPIPE.
void block_signals() {
  sigset_t all;
  sigfillset(&all);
  ::pthread_sigmask(SIG_BLOCK, &all, nullptr);
}

std::optional<std::uint64_t> id_of(const Json& answer) {
  if (!answer.is_object()) return std::nullopt;
  auto id = answer.find("id");
  if (id == answer.end() || !id->is_number_unsigned()) return std::nullopt;
  return id->get<std::uint64_t>();
}

}  // namespace

Result<std::unique_ptr<AgentProgram>> AgentProgram::start(const ProgramOptions& options) {
  SF_TRY_ASSIGN(os::Poller poller, os::Poller::create());
  SF_TRY_ASSIGN(os::Pipe wake_up, os::make_pipe());
  SF_TRY(os::set_nonblocking(wake_up.read_end.get()));
  SF_TRY(os::set_nonblocking(wake_up.write_end.get()));
  std::unique_ptr<AgentProgram> program(
      new AgentProgram(options, std::move(poller), std::move(wake_up)));
  SF_TRY(program->poller_.add(program->wake_up_.read_end.get(), EPOLLIN,
                              [it = program.get()](std::uint32_t) { it->on_wake(); }));
  std::promise<Status> started;
  std::future<Status> outcome = started.get_future();
  program->thread_ = std::thread([it = program.get(), promise = std::move(started)]() mutable {
    it->serve(std::move(promise));
  });
  SF_TRY(outcome.get());
  return program;
}

AgentProgram::AgentProgram(const ProgramOptions& options, os::Poller poller, os::Pipe wake_up)
    : options_(options), wake_up_(std::move(wake_up)), poller_(std::move(poller)) {}

AgentProgram::~AgentProgram() {
  {
    std::lock_guard lock(mutex_);
    is_stopping_ = true;
  }
  wake();
  if (thread_.joinable()) thread_.join();
}

void AgentProgram::wake() const {
  // If the pipe is full, the thread wakes up anyway.
  [[maybe_unused]] const ssize_t n = ::write(wake_up_.write_end.get(), "", 1);
}

Error AgentProgram::about(Error error) const {
  std::string name;
  for (const std::string& word : options_.argv) name += (name.empty() ? "" : " ") + word;
  return std::move(error)
      .while_doing("the agent program " + quote(name))
      .with_hint(options_.log.empty() ? "" : "see its messages in " + options_.log);
}

Result<Json> AgentProgram::ask(Json request) {
  std::unique_lock lock(mutex_);
  const std::uint64_t id = next_id_++;
  request["id"] = id;
  Request& mine = requests_[id];
  // Escaped to ASCII, so that the program's locale does not matter. Command output may be any
  // bytes.
  mine.line = request.dump(-1, ' ', true, Json::error_handler_t::replace) + "\n";
  mine.answers_before = answers_;
  unsent_ += mine.line;
  wake();
  const bool is_done =
      answered_.wait_for(lock, options_.timeout, [&mine] { return mine.outcome.has_value(); });
  // No request was answered during the whole time limit. Restart the program, so that later
  // requests do not wait as long.
  if (!is_done && !mine.was_repeated && mine.answers_before == answers_) {
    is_stuck_ = true;
    wake();
  }
  Result<Json> outcome =
      is_done ? std::move(*mine.outcome)
              : about(fail(ErrorCode::kTimedOut,
                           "no answer within " + std::to_string(options_.timeout.count()) + " ms"));
  requests_.erase(id);
  return outcome;
}

void AgentProgram::serve(std::promise<Status> started) {
  block_signals();
  Status status = start_process();
  const bool is_running = status.ok();
  started.set_value(std::move(status));
  while (is_running) {
    {
      std::lock_guard lock(mutex_);
      if (is_stopping_) break;
    }
    if (Status polled = poller_.run_once(Deadline::never()); !polled) fail_all(polled.error());
  }
  (void)drop_process(Deadline::after(kPoliteEnd));
}

Status AgentProgram::start_process() {
  if (restarts_ >= options_.most_restarts)
    return about(fail(ErrorCode::kOs, "restart limit reached; the last run " + last_end_));
  auto process = LineProcess::start(options_.argv, options_.log);
  if (!process) return about(std::move(process).error());
  ++restarts_;
  process_.emplace(std::move(*process));
  SF_TRY(poller_.add(process_->output(), EPOLLIN, [this](std::uint32_t) { on_output(false); }));
  SF_TRY(poller_.add(process_->pidfd(), EPOLLIN, [this](std::uint32_t) { on_output(true); }));
  return poller_.add(process_->input(), 0, [this](std::uint32_t events) {
    if ((events & EPOLLOUT) != 0) return send();
    poller_.remove(process_->input());  // it will exit, or a request will time out
  });
}

os::ExitStatus AgentProgram::drop_process(Deadline deadline) {
  if (!process_) return {};
  for (const int fd : {process_->input(), process_->output(), process_->pidfd()})
    poller_.remove(fd);
  auto status = process_->end(deadline);
  process_.reset();
  return status ? *status : os::ExitStatus{};
}

void AgentProgram::on_wake() {
  char bytes[64];
  while (::read(wake_up_.read_end.get(), bytes, sizeof bytes) > 0) {
  }
  bool is_stuck = false;
  {
    std::lock_guard lock(mutex_);
    is_stuck = std::exchange(is_stuck_, false);
  }
  if (is_stuck && process_) {
    (void)drop_process(Deadline::after(seconds(0)));
    on_end("stopped answering");
  }
  send();
}

void AgentProgram::on_output(bool has_exited) {
  auto lines = process_->read_lines();
  if (!lines) return on_nonsense(lines.error());
  for (const std::string& line : lines->whole) {
    take_line(line);
    if (!process_) return;
  }
  if (!lines->is_last && !(has_exited && lines->is_quiet)) return;
  const std::string unfinished = process_->unfinished();
  const os::ExitStatus status = drop_process(Deadline::after(kPoliteEnd));
  on_end(status.text() + (unfinished.empty() ? "" : " after printing " + quote(unfinished)));
}

void AgentProgram::take_line(const std::string& line) {
  if (line.find_first_not_of(" \t\r") == std::string::npos) return;
  Json answer = Json::parse(line, nullptr, false);
  const auto id = id_of(answer);
  if (!id)
    return on_nonsense(
        fail(ErrorCode::kCorrupt, "malformed line on standard output: " + quote(line)));
  std::unique_lock lock(mutex_);
  if (*id == 0 || *id >= next_id_) {
    lock.unlock();
    return on_nonsense(fail(ErrorCode::kCorrupt, "answer to an unknown request: " + quote(line)));
  }
  auto request = requests_.find(*id);
  if (request == requests_.end() || request->second.outcome) return;  // the request has timed out
  request->second.outcome.emplace(std::move(answer));
  ++answers_;
  answered_.notify_all();
}

void AgentProgram::on_nonsense(const Error& what) {
  (void)drop_process(Deadline::after(seconds(0)));
  last_end_ = "printed a malformed line";
  fail_all(about(Error(what).with_hint("print nothing but answers on standard output")));
}

void AgentProgram::on_end(const std::string& why) {
  last_end_ = why;
  const Error error = about(fail(ErrorCode::kOs, "no answer: the program " + why));
  {
    std::lock_guard lock(mutex_);
    unsent_.clear();
    for (auto& [id, request] : requests_) {
      if (request.outcome) continue;
      if (std::exchange(request.was_repeated, true)) {
        request.outcome.emplace(error);
      } else {
        unsent_ += request.line;
      }
    }
    answered_.notify_all();
  }
  send();
}

void AgentProgram::send() {
  {
    std::lock_guard lock(mutex_);
    if (unsent_.empty() || is_stopping_) return;
  }
  if (!process_) {
    if (Status started = start_process(); !started) return fail_all(started.error());
  }
  if (!poller_.contains(process_->input())) return;
  std::lock_guard lock(mutex_);
  const bool is_read = process_->write_some(unsent_).ok();
  (void)poller_.change(process_->input(), is_read && !unsent_.empty() ? EPOLLOUT : 0U);
}

void AgentProgram::fail_all(const Error& error) {
  std::lock_guard lock(mutex_);
  unsent_.clear();
  for (auto& [id, request] : requests_)
    if (!request.outcome) request.outcome.emplace(error);
  answered_.notify_all();
}

}  // namespace sf::explore
