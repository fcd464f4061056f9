// The root of a restored branch. Another thread creates it while the engine writes the programs.
#pragma once

#include <future>
#include <string>

#include "base/result.h"

namespace sf::waypoint::native {

class AsyncRoot {
 public:
  AsyncRoot(std::string path, std::future<Status> made)
      : path_(std::move(path)), made_(std::move(made)) {}

  // Waits. Empty if the root could not be created.
  std::string path() const { return made() ? path_ : ""; }
  // Waits.
  Status made() const { return made_.get(); }

 private:
  std::string path_;
  std::shared_future<Status> made_;
};

}  // namespace sf::waypoint::native
