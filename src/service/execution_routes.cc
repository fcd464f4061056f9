// .../branches/{b}/executions: commands that run independently of the client, and their events.
#include <nlohmann/json.hpp>

#include "service/call_target.h"
#include "service/json_messages.h"
#include "service/routes.h"

namespace sf::service {
namespace {

constexpr int kCreated = 201;
constexpr std::string_view kInterruptKey = "\x03";
constexpr std::uint64_t kMaxWaitMs = 600'000;
// Interval of heartbeats on a stream without events. They detect a client that has gone.
constexpr seconds kHeartbeat{15};

BodySource event_source(std::shared_ptr<Execution> execution, std::uint64_t after) {
  return [execution = std::move(execution), after,
          over = false]() mutable -> std::optional<std::string> {
    if (over) return std::nullopt;
    Execution::Page page = execution->events_after(after, Deadline::after(kHeartbeat));
    over = page.over;
    std::string text;
    for (const Execution::Event& event : page.events) {
      text += event.text;
      after = event.seq;
    }
    if (text.empty() && over) return std::nullopt;
    return text.empty() ? ": running\n\n" : text;
  };
}

class ExecutionRoutes {
 public:
  ExecutionRoutes(SessionDirectory& directory, ExecutionTable& table)
      : directory_(directory), table_(table) {}

  Result<Answer> start(const Call& call) const {
    SF_TRY_ASSIGN(BranchTarget at, branch_target(directory_, call));
    SF_TRY_ASSIGN(ExecRequest request, exec_request_from(call.body));
    SF_TRY_ASSIGN(auto execution, table_.start(std::move(at), std::move(request)));
    return Answer{kCreated, execution->describe(), {}};
  }

  Result<Answer> list(const Call& call) const {
    SF_TRY_ASSIGN(BranchTarget at, branch_target(directory_, call));
    Json all = Json::array();
    for (const auto& execution : table_.of(at)) {
      Json one = execution->describe();
      one.erase("result");  // large
      all.push_back(std::move(one));
    }
    return Answer{200, {{"executions", std::move(all)}}, {}};
  }

  Result<Answer> show(const Call& call) const {
    SF_TRY_ASSIGN(auto execution, find(call));
    SF_TRY_ASSIGN(std::uint64_t wait_ms, number_parameter(call, "wait_ms", 0, kMaxWaitMs));
    execution->wait_end(Deadline::after(milliseconds(wait_ms)));
    return Answer{200, execution->describe(), {}};
  }

  Result<Answer> interrupt(const Call& call) const {
    SF_TRY_ASSIGN(BranchTarget at, branch_target(directory_, call));
    SF_TRY_ASSIGN(auto execution, table_.find(at, call.names[2]));
    switch (execution->interrupt()) {
      case Execution::Stage::kQueued:
        return Answer{200, {{"was", "queued"}}, {}};
      case Execution::Stage::kRunning:
        SF_TRY(at.session->send_keys(at.branch, kInterruptKey));
        return Answer{200, {{"was", "running"}}, {}};
      case Execution::Stage::kOver:
        break;
    }
    return Answer{200, {{"was", "over"}}, {}};
  }

  Result<Answer> events(const Call& call) const {
    SF_TRY_ASSIGN(auto execution, find(call));
    SF_TRY_ASSIGN(std::uint64_t after, number_parameter(call, "after", 0, UINT64_MAX - 1));
    return Answer{
        200, {}, Reply{200, "text/event-stream", {}, event_source(std::move(execution), after)}};
  }

 private:
  Result<std::shared_ptr<Execution>> find(const Call& call) const {
    SF_TRY_ASSIGN(BranchTarget at, branch_target(directory_, call));
    return table_.find(at, call.names[2]);
  }

  SessionDirectory& directory_;
  ExecutionTable& table_;
};

}  // namespace

void add_execution_routes(Router& router, SessionDirectory& directory, ExecutionTable& table) {
  ExecutionRoutes routes(directory, table);
  const std::string all = "/v1/sessions/{s}/branches/{b}/executions";
  router.add("POST", all, [routes](const Call& call) { return routes.start(call); });
  router.add("GET", all, [routes](const Call& call) { return routes.list(call); });
  router.add("GET", all + "/{x}", [routes](const Call& call) { return routes.show(call); },
             {"wait_ms"});
  router.add("POST", all + "/{x}/interrupt",
             [routes](const Call& call) { return routes.interrupt(call); });
  router.add("GET", all + "/{x}/events", [routes](const Call& call) { return routes.events(call); },
             {"after"});
}

}  // namespace sf::service
