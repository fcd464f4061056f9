// Inspects what a process holds, and files, without changing them.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "resource.h"

namespace zoo {

std::uint64_t hash_of(std::string_view bytes);
std::string hex(std::uint64_t value);

std::string read_whole(const std::string& path);
void write_whole(const std::string& path, std::string_view bytes);

// The value of the line `key:` in a text such as /proc/self/status.
std::string line_of(const std::string& text, std::string_view key);
std::string own_status(std::string_view key);
std::string fdinfo(int fd);

// Reports number, file type, flags and close-on-exec.
void say_descriptor(Report& report, std::string_view key, int fd);

// The content of a pipe, without consuming it.
std::string peek_pipe(int read_end);

// Hash of all bytes from `start`, regardless of their protection. Ends with the number of
// unreadable pages, if any.
std::string memory_hash(const void* start, std::size_t size);
// Protection and flags of the mappings in this range; equal neighbours are joined.
std::string mappings_in(const void* start, std::size_t size);

// A number in a file at a known path. Other shared state is compared with it.
class SharedCount {
 public:
  void make(const std::string& path);
  std::int64_t get() const;
  void set(std::int64_t value) const;

 private:
  std::string path_;
};

// Waits until the descriptor is readable; returns false after some seconds.
bool readable(int fd);

}  // namespace zoo
