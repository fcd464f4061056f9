// Ways to look at what a process holds, and at files, without changing them.
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

// The line of a text such as /proc/self/status that begins with `key:`, without the key.
std::string line_of(const std::string& text, std::string_view key);
std::string own_status(std::string_view key);
std::string fdinfo(int fd);

// Number, kind of file, flags and close-on-exec.
void say_descriptor(Report& report, std::string_view key, int fd);

// What a pipe holds; it stays there.
std::string peek_pipe(int read_end);

// Every byte from `start` on, whatever its protection; what cannot be read is said so.
std::string memory_hash(const void* start, std::size_t size);
// Protection and flags of the mappings in that range, equal neighbours joined.
std::string mappings_in(const void* start, std::size_t size);

// A number in a file, seen by all who know its name: what else is shared must agree with it.
class SharedCount {
 public:
  void make(const std::string& path);
  std::int64_t get() const;
  void set(std::int64_t value) const;

 private:
  std::string path_;
};

// Waits until the descriptor has something; false after some seconds.
bool readable(int fd);

}  // namespace zoo
