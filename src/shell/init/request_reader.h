// A request to init (init_protocol.h), read. Whoever is root in the branch can write one, so
// nothing in it is taken on trust. Pure, and without a heap: what is read points into the text.
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
  // `text` has a NUL behind its `size` bytes, and lives until the next call. False: too many words.
  bool load(char* text, std::size_t size) {
    count_ = 0;
    at_ = 0;
    for (std::size_t i = 0; i < size && count_ < kMaxRequestWords; i += std::strlen(text + i) + 1)
      words_[count_++] = text + i;
    return count_ < kMaxRequestWords;
  }

  // The next word; "" when there is none.
  char* word() { return at_ < count_ ? words_[at_++] : empty_; }
  long number() { return std::strtol(word(), nullptr, 10); }

  // Everything behind the kind. False: a list is longer than the request, or its end is missing.
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
    // The lists lie in one block: behind argv stands the count of env, which has been read, and
    // behind env the empty word that ends a request.
    *argv_end = nullptr;
    *env_end = nullptr;
    return true;
  }

 private:
  // A count of words that are there, and one behind them.
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

  std::array<char*, kMaxRequestWords> words_;  // as it comes: memory that is touched is captured
  std::size_t count_ = 0;
  std::size_t at_ = 0;
  char empty_[1] = {0};
};

}  // namespace sf::waypoint
