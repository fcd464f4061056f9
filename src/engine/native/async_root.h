// The root of a branch that comes back, made on another thread while its programs are written.
#pragma once

#include <future>
#include <string>

#include "base/result.h"

namespace sf::waypoint::native {

class AsyncRoot {
 public:
  AsyncRoot(std::string path, std::future<Status> made)
      : path_(std::move(path)), made_(std::move(made)) {}

  // Waits. Empty when it could not be made.
  std::string path() const { return made() ? path_ : ""; }
  // Waits.
  Status made() const { return made_.get(); }

 private:
  std::string path_;
  std::shared_future<Status> made_;
};

}  // namespace sf::waypoint::native
