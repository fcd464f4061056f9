#include "cli/daemon/execution_watch.h"

#include <nlohmann/json.hpp>
#include <thread>
#include <utility>

#include "base/clock.h"
#include "wire/base64.h"
#include "wire/problem.h"

namespace sf::cli {
namespace {

using wire::Json;

constexpr milliseconds kPause{100};
constexpr seconds kShort{5};
constexpr int kMaxVain = 20;  // successive connections that broke without an event

class Watch {
 public:
  explicit Watch(const WatchCallbacks& callbacks) : callbacks_(callbacks) {}

  Status take(const wire::ServerEvent& event) {
    Json data = Json::parse(event.data, nullptr, false);
    if (!data.is_object())
      return fail(ErrorCode::kCorrupt, "the daemon sent a malformed event",
                  "check that client and daemon have the same version");
    seen_ = data.value("seq", seen_);
    if (event.name == "output") return show(data);
    if (event.name == "gap") callbacks_.on_gap();
    if (event.name == "problem") problem_ = wire::error_from_problem(0, event.data);
    if (event.name != "result") return Ok{};
    data.erase("seq");
    result_ = std::move(data);
    return Ok{};
  }

  bool is_over() const { return result_ || problem_; }
  std::uint64_t seen() const { return seen_; }
  Result<std::optional<Json>> outcome() && {
    if (problem_) return std::move(*problem_);
    return std::move(result_);
  }

 private:
  Status show(const Json& data) const {
    std::string bytes = data.value("text", "");
    if (data.contains("raw_base64")) {
      SF_TRY_ASSIGN(bytes, wire::from_base64(data.value("raw_base64", "")));
    }
    callbacks_.on_output(bytes);
    return Ok{};
  }

  const WatchCallbacks& callbacks_;
  std::uint64_t seen_ = 0;  // number of the last event
  std::optional<Json> result_;
  std::optional<Error> problem_;
};

}  // namespace

Result<std::optional<Json>> watch_execution(const ApiClient& client, const std::string& path,
                                            ApiClient::Gate& gate,
                                            const WatchCallbacks& callbacks) {
  Watch watch(callbacks);
  int vain = 0;
  for (bool first = true; !gate.is_closed(); first = false) {
    Stopwatch lasted;
    const std::uint64_t before = watch.seen();
    auto ended = client.events(path + "/events?after=" + std::to_string(before), gate,
                               [&](const wire::ServerEvent& event) { return watch.take(event); });
    if (watch.is_over() || gate.is_closed()) break;
    if (!ended && !first && ended.error().code == ErrorCode::kNotFound)
      return fail(ErrorCode::kOs, "the daemon ended while the command was running",
                  "the session keeps running; see `statefork log` for the command");
    if (!ended) return std::move(ended).error();
    vain = watch.seen() == before && lasted.elapsed() < kShort ? vain + 1 : 0;
    if (vain == kMaxVain)
      return fail(ErrorCode::kOs, "the connection to the daemon keeps breaking",
                  "the command keeps running; see `statefork log` for its end");
    std::this_thread::sleep_for(kPause);  // the daemon may be ending
  }
  return std::move(watch).outcome();
}

}  // namespace sf::cli
