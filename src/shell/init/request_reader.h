// RequestReader: parses a request to init (init_protocol.h). Any root process in the branch can
// write one, so the parser validates everything. Pure. Does not use the heap: the results point
// into the text.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstddef>
#include <cstdlib>
#include <cstring>

#include "shell/init/init_protocol.h"

namespace sf::waypoint {

struct Start {
  long id = 0;
  uid_t uid = 0;
  gid_t gid = 0;
  std::array<gid_t, 64> groups{};
  std::size_t group_count = 0;
  const char* cwd = "/";
  char** argv = nullptr;  // both end in a null pointer
  char** env = nullptr;
};

class RequestReader {
 public:
  // Returns false if there are too many words. Requires: a NUL follows the `size` bytes of `text`,
  // and `text` stays valid until the next call.
  bool load(char* text, std::size_t size) {
    count_ = 0;
    at_ = 0;
    for (std::size_t i = 0; i < size && count_ < kMaxRequestWords; i += std::strlen(text + i) + 1)
      words_[count_++] = text + i;
    return count_ < kMaxRequestWords;
  }

  // The next word; "" at the end.
  char* word() { return at_ < count_ ? words_[at_++] : empty_; }
  long number() { return std::strtol(word(), nullptr, 10); }

  // Reads everything after the kind. Returns false if a list is longer than the request, or its
  // end is missing.
  bool read_start(Start& start) {
    start.id = number();
    start.uid = static_cast<uid_t>(number());
    start.gid = static_cast<gid_t>(number());
    std::size_t groups = 0;
    if (!counted(groups)) return false;
    for (std::size_t i = 0; i < groups; ++i) {
      auto group = static_cast<gid_t>(number());
      if (start.group_count < start.groups.size()) start.groups[start.group_count++] = group;
    }
    start.cwd = word();
    char** argv_end = nullptr;
    char** env_end = nullptr;
    if (!list(start.argv, argv_end) || !list(start.env, env_end)) return false;
    // The lists are parts of one array, so the word after each list is overwritten: after argv, the
    // count of env, which has been read; after env, the empty word that ends the request.
    *argv_end = nullptr;
    *env_end = nullptr;
    return true;
  }

 private:
  // Reads a count. Returns false unless that many words and one more follow.
  bool counted(std::size_t& count) {
    long wanted = number();
    if (wanted < 0 || static_cast<std::size_t>(wanted) >= count_ - at_) return false;
    count = static_cast<std::size_t>(wanted);
    return true;
  }

  bool list(char**& first, char**& end) {
    std::size_t size = 0;
    if (!counted(size)) return false;
    first = &words_[at_];
    at_ += size;
    end = &words_[at_];
    return true;
  }

  std::array<char*, kMaxRequestWords> words_;  // not initialized: touched pages would be captured
  std::size_t count_ = 0;
  std::size_t at_ = 0;
  char empty_[1] = {0};
};

}  // namespace sf::waypoint
