// The environment of a benchmark that uses Waypoint. Its destructors clean up, however the
// benchmark ends.
#pragma once

#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

#include "base/result.h"
#include "os/directory_tree.h"
#include "os/error.h"
#include "waypoint/waypoint.h"

namespace sf::bench {

// Keeps SIGINT, SIGTERM and SIGHUP pending until requested() is called, so that all objects are
// destroyed in order. Requires: constructed before any thread starts.
class Interruption {
 public:
  Interruption() {
    sigset_t held;
    sigemptyset(&held);
    for (int number : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&held, number);
    ::sigprocmask(SIG_BLOCK, &held, nullptr);
  }
  static bool requested() {
    sigset_t pending;
    sigemptyset(&pending);
    ::sigpending(&pending);
    return sigismember(&pending, SIGINT) == 1 || sigismember(&pending, SIGTERM) == 1 ||
           sigismember(&pending, SIGHUP) == 1;
  }
};

class TemporaryDirectory {
 public:
  // `name`: the benchmark's name.
  static Result<TemporaryDirectory> create(const std::string& name) {
    std::string path = "/var/tmp/" + name + "-XXXXXX";
    if (::mkdtemp(path.data()) == nullptr) return os::last_error("creating " + path);
    return TemporaryDirectory(std::move(path));
  }
  TemporaryDirectory(TemporaryDirectory&& other) noexcept
      : path_(std::exchange(other.path_, std::string())) {}
  TemporaryDirectory& operator=(TemporaryDirectory&&) = delete;
  ~TemporaryDirectory() {
    if (path_.empty()) return;
    if (auto removed = os::remove_tree(path_); !removed)
      std::fprintf(stderr, "%s: %s\n", path_.c_str(), removed.error().describe().c_str());
  }
  const std::string& path() const { return path_; }

 private:
  explicit TemporaryDirectory(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

// Ends all branches before the store is removed.
class Store {
 public:
  explicit Store(waypoint::Waypoint waypoint) : waypoint_(std::move(waypoint)) {}
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;
  ~Store() { waypoint_.end_all(); }
  waypoint::Waypoint& operator*() { return waypoint_; }
  waypoint::Waypoint* operator->() { return &waypoint_; }

 private:
  waypoint::Waypoint waypoint_;
};

}  // namespace sf::bench
