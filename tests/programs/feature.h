// Feature: one kind of kernel state that a process can hold, and how to inspect it.
//
//   stateful start <feature> <dir>   sets the state up in its own process; returns once it is ready
//   stateful ask <dir>               prints what that process sees now
//   stateful list                    names of all features
//
// probe() runs in the process that called prepare(). It may be called repeatedly, so it must put
// back what it consumes unless the feature says otherwise. It prints only state that must be the
// same after a restore.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stateful {

// Prints the failed operation with errno and exits.
[[noreturn]] void die(const char* what);
// Exits if `value` is negative, the error value of system calls.
int must(int value, const char* what);

// The reply to a probe, line by line.
class Answer {
 public:
  void say(const std::string& key, const std::string& value) { text_ += key + "=" + value + "\n"; }
  void say(const std::string& key, long value) { say(key, std::to_string(value)); }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

using Probe = std::function<void(Answer&)>;

struct Feature {
  std::string_view name;
  Probe (*prepare)(const std::string& dir);  // sets up the state in `dir` and returns its probe
};

std::vector<Feature> memory_features();
std::vector<Feature> descriptor_features();
std::vector<Feature> notification_features();
std::vector<Feature> socket_features();
std::vector<Feature> unix_features();
std::vector<Feature> tcp_features();
std::vector<Feature> datagram_features();
std::vector<Feature> terminal_features();
std::vector<Feature> lock_features();
std::vector<Feature> process_features();

// Deterministic bytes that depend on the seed.
std::string pattern(std::size_t size, unsigned seed);
std::string hash_of(std::string_view bytes);
// The value of `key` in /proc/self/fdinfo/<fd>, for objects that cannot be read without changing
// them.
std::string fdinfo(int fd, const std::string& key);
std::string own_status(const std::string& key);
std::string read_whole_file(const std::string& path);
void write_whole_file(const std::string& path, std::string_view bytes);
// Reads a non-blocking descriptor until it is empty.
std::string drain(int fd);
// Waits until the descriptor is readable; returns false after some seconds.
bool readable(int fd, int wait_ms = 5000);

}  // namespace stateful
