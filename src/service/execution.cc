#include "service/execution.h"

#include <nlohmann/json.hpp>

#include "base/request_limits.h"
#include "control/command_log.h"
#include "service/json_messages.h"
#include "service/router.h"
#include "wire/base64.h"
#include "wire/problem.h"

namespace sf::service {
namespace {

constexpr std::size_t kEventCost = 128;  // overhead of an event, in bytes

}  // namespace

void Execution::add(const std::string& kind, Json data) {
  data["seq"] = ++last_seq_;
  events_.push_back({last_seq_, kind, to_event_text(kind, data, last_seq_)});
  kept_ += events_.back().text.size() + kEventCost;
  while (kept_ > kMaxKept && events_.size() > 1) {
    kept_ -= events_.front().text.size() + kEventCost;
    events_.pop_front();
  }
  changed_.notify_all();
}

Status Execution::begin() {
  std::lock_guard lock(mutex_);
  if (interrupted_)
    return fail(ErrorCode::kBusy, "the command was interrupted before it began",
                "it had no effect; start it again");
  begun_ = true;
  return Ok{};
}

Execution::Stage Execution::interrupt() {
  std::lock_guard lock(mutex_);
  if (finished_) return Stage::kOver;
  if (begun_) return Stage::kRunning;
  interrupted_ = true;
  return Stage::kQueued;
}

void Execution::on_output(std::string_view bytes) {
  std::lock_guard lock(mutex_);
  if (form_ == OutputForm::kRaw) {
    add("output", {{"raw_base64", wire::to_base64(bytes)}});
    return;
  }
  std::string text = cleaner_.feed(bytes);
  if (!text.empty()) add("output", {{"text", std::move(text)}});
}

void Execution::finish(const Result<Observation>& outcome) {
  std::lock_guard lock(mutex_);
  if (std::string rest = cleaner_.finish(); !rest.empty()) add("output", {{"text", rest}});
  Json seen = outcome ? to_json(*outcome) : wire::problem_from_error(outcome.error());
  ending_ = {{outcome ? "result" : "problem", seen}};
  finished_ = true;
  add(outcome ? "result" : "problem", std::move(seen));
}

Execution::Page Execution::events_after(std::uint64_t after, Deadline deadline) const {
  std::unique_lock lock(mutex_);
  auto is_due = [&] { return finished_ || last_seq_ > after; };
  if (deadline.is_never()) {
    changed_.wait(lock, is_due);
  } else {
    changed_.wait_until(lock, deadline.at(), is_due);
  }
  Page page;
  if (!events_.empty() && events_.front().seq > after + 1) {
    std::uint64_t missing = events_.front().seq - 1;
    page.events.push_back({missing, "gap", to_event_text("gap", {{"seq", missing}}, missing)});
  }
  for (const Event& event : events_) {
    if (event.seq > after) page.events.push_back(event);
  }
  page.over = finished_;
  return page;
}

bool Execution::wait_end(Deadline deadline) const {
  std::unique_lock lock(mutex_);
  return changed_.wait_until(lock, deadline.at(), [&] { return finished_; });
}

Json Execution::describe() const {
  std::lock_guard lock(mutex_);
  bool failed = ending_.contains("problem");
  Json json = {
      {"execution", id_},
      {"state", finished_ ? (failed ? "failed" : "done") : (begun_ ? "running" : "queued")},
      {"command", control::bounded_excerpt(command_, kMaxShownCommand)},
      {"next_seq", last_seq_ + 1},
      {"result", nullptr},
      {"problem", nullptr}};
  json.update(ending_.is_null() ? Json::object() : ending_);
  return json;
}

std::size_t Execution::kept_bytes() const {
  std::lock_guard lock(mutex_);
  return kept_;
}

}  // namespace sf::service
