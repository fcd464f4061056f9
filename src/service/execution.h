// Execution: one command that runs independently of its watchers, with its output as numbered
// events. Any number of watchers can read, each from the last number it received. Thread-safe.
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

enum class OutputForm { kText, kRaw };  // cleaned text, or the terminal's bytes

class Execution {
 public:
  struct Event {
    std::uint64_t seq = 0;
    std::string kind;  // output, gap; the last one is result or problem
    std::string text;  // the JSON to send
  };
  struct Page {
    std::vector<Event> events;
    bool over = false;  // no more events follow
  };
  static constexpr std::size_t kMaxKept = 4U << 20U;  // bytes of events; older ones are dropped

  Execution(std::string id, std::string command, OutputForm form)
      : id_(std::move(id)), command_(std::move(command)), form_(form) {}

  const std::string& id() const { return id_; }
  // Called when the command has the branch lock. Fails if the command was interrupted while it
  // waited.
  Status begin();
  enum class Stage { kQueued, kRunning, kOver };
  // Returns the stage at the interrupt. A queued command never begins; the caller must stop a
  // running one.
  Stage interrupt();
  void on_output(std::string_view bytes);
  void finish(const Result<Observation>& outcome);

  // All kept events after number `after`; waits for the first one until `deadline`. If events after
  // `after` were dropped, the first event is a gap.
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
  Json ending_;  // the members of describe() for the outcome
};

}  // namespace sf::service
