// TarMaker: builds archives for tests member by member, including malformed ones.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>

struct archive;
struct archive_entry;

namespace sf::test {

enum class Packing { kNone, kGzip, kBzip2, kXz, kZstd };

// The metadata of a member.
struct Look {
  mode_t mode = 0;  // 0: 0644, or 0755 for directories
  uid_t uid = 0;
  gid_t gid = 0;
  std::int64_t modified = 1'000'000'000;
  std::map<std::string, std::string> attributes;
};

class TarMaker {
 public:
  explicit TarMaker(Packing packing = Packing::kNone);

  TarMaker& directory(const std::string& name, const Look& look = {});
  TarMaker& file(const std::string& name, const std::string& content, const Look& look = {});
  TarMaker& symlink(const std::string& name, const std::string& target);
  TarMaker& hard_link(const std::string& name, const std::string& target);
  TarMaker& pipe(const std::string& name);
  TarMaker& device(const std::string& name, mode_t kind, dev_t number);

  // Finishes the archive and returns it. Requires: called once.
  std::string bytes();

 private:
  using Entry = std::unique_ptr<archive_entry, void (*)(archive_entry*)>;
  static Entry entry_of(const std::string& name, mode_t type, const Look& look);
  void write(const Entry& entry, const std::string& content = {});

  std::unique_ptr<std::string> bytes_;
  std::unique_ptr<archive, int (*)(archive*)> writer_;
};

// `bytes`, compressed.
std::string packed(const std::string& bytes, Packing packing);

}  // namespace sf::test
