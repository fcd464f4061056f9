// Execution: one command that runs whoever watches, and what is seen of it as numbered events. Any
// number of watchers, each from the number it saw last. Thread-safe.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/command.h"
#include "base/result.h"
#include "terminal/clean_text.h"
#include "wire/json.h"

namespace sf::service {

using wire::Json;

enum class OutputForm { kText, kRaw };  // as a person would read it, or the terminal's bytes

class Execution {
 public:
  struct Event {
    std::uint64_t seq = 0;
    std::string kind;  // output, gap; the last one is result or problem
    std::string text;  // as it is sent
  };
  struct Page {
    std::vector<Event> events;
    bool over = false;  // nothing comes after these
  };
  static constexpr std::size_t kMaxKept = 4U << 20U;  // bytes of events; older ones are forgotten

  Execution(std::string id, std::string command, OutputForm form)
      : id_(std::move(id)), command_(std::move(command)), form_(form) {}

  const std::string& id() const { return id_; }
  // It has the branch's lock. Fails when it was interrupted while it waited.
  Status begin();
  enum class Stage { kQueued, kRunning, kOver };
  // Where the interrupt met it. One that waits never begins; one that runs is the caller's to stop.
  Stage interrupt();
  void on_output(std::string_view bytes);
  void finish(const Result<Observation>& outcome);

  // All kept events after number `after`; waits for the first of them until `deadline`. When
  // events after `after` were forgotten, the first one says so.
  Page events_after(std::uint64_t after, Deadline deadline) const;
  bool wait_end(Deadline deadline) const;
  Json describe() const;
  std::size_t kept_bytes() const;

 private:
  void add(const std::string& kind, Json data);  // Requires: mutex_ is held.

  const std::string id_;
  const std::string command_;
  const OutputForm form_;

  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  waypoint::TextCleaner cleaner_;
  std::deque<Event> events_;
  std::size_t kept_ = 0;
  std::uint64_t last_seq_ = 0;
  bool begun_ = false;
  bool interrupted_ = false;
  bool finished_ = false;
  Json ending_;  // the member of describe() that says how it ended
};

}  // namespace sf::service
