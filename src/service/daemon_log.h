// DaemonLog: one line per fact: time, level, message, and key=value fields. Thread-safe.
#pragma once

#include <initializer_list>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "os/fd.h"

namespace sf::service {

using LogField = std::pair<std::string_view, std::string>;

class DaemonLog {
 public:
  explicit DaemonLog(os::UniqueFd fd) : fd_(std::move(fd)) {}

  void info(std::string_view message, std::initializer_list<LogField> fields = {}) {
    write("info", message, fields);
  }
  void error(std::string_view message, const Error& why,
             std::initializer_list<LogField> fields = {});

 private:
  void write(std::string_view level, std::string_view message,
             std::initializer_list<LogField> fields, std::string_view rest = {});

  std::mutex mutex_;
  os::UniqueFd fd_;
};

// Appends to `path`; a large log is renamed to PATH.1 first. Empty: standard error.
Result<os::UniqueFd> open_log(const std::string& path);

}  // namespace sf::service
