#include "roots/root_cache.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>

#include "base/clock.h"
#include "base/scope_exit.h"
#include "os/directory_tree.h"
#include "os/error.h"
#include "os/file.h"
#include "os/file_lock.h"
#include "roots/sha256.h"

namespace sf::roots {
namespace {

constexpr std::string_view kAlgorithm = "sha256:";
constexpr const char* kRecord = "/image.json";
constexpr const char* kRoot = "/root";
constexpr std::size_t kMaxRecord = 16U << 20U;

std::string digits_of(const std::string& digest) { return digest.substr(kAlgorithm.size()); }

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

// Called before the rename that publishes a root, so that the cache survives a power failure.
Status sync_file_system(const std::string& path) {
  SF_TRY_ASSIGN(os::UniqueFd location, os::open_file(path, O_RDONLY | O_DIRECTORY));
  if (::syncfs(location.get()) != 0) return os::last_error("writing " + path + " to the disk");
  return Ok{};
}

}  // namespace

Result<RootCache> RootCache::open(const std::string& directory) {
  SF_TRY(os::make_directories(directory + "/drafts"));
  SF_TRY(os::make_directories(directory + "/locks"));
  SF_TRY_ASSIGN(std::string real, os::real_path(directory));
  RootCache cache(std::move(real));
  SF_TRY(cache.sweep());
  return cache;
}

Result<os::UniqueFd> RootCache::lock(const std::string& name, const Progress& progress) const {
  // The file is never removed: otherwise two processes could lock two files of this name.
  SF_TRY_ASSIGN(os::UniqueFd file,
                os::open_file(directory_ + "/locks/" + name, O_RDWR | O_CREAT, 0600));
  SF_TRY_ASSIGN(bool ours, os::take_lock(file, Deadline::after(milliseconds(0))));
  if (!ours) {
    report(progress, {"waiting for another process that is preparing the same root"});
    SF_TRY_ASSIGN(ours, os::take_lock(file, Deadline::never()));
  }
  return file;
}

Status RootCache::sweep() const {
  SF_TRY_ASSIGN(std::vector<std::string> drafts, os::list_directory(directory_ + "/drafts"));
  for (const std::string& name : drafts) {
    SF_TRY_ASSIGN(os::UniqueFd file,
                  os::open_file(directory_ + "/locks/" + name, O_RDWR | O_CREAT, 0600));
    SF_TRY_ASSIGN(bool ours, os::take_lock(file, Deadline::after(milliseconds(0))));
    if (ours) SF_TRY(os::remove_tree(draft_path(name)));
  }
  return Ok{};
}

Result<RootRecord> RootCache::find(const std::string& digest) const {
  SF_TRY_ASSIGN(std::string digits, digest_digits(digest));
  const std::string path = directory_ + "/" + digits + kRecord;
  auto text = os::read_file(path, kMaxRecord);
  if (!text) return std::move(text).error();
  auto record = parse_root_record(*text);
  if (record) return record;
  return std::move(record).error().while_doing(path).with_hint("`statefork root rm " + digits +
                                                               "` removes it; then add it again");
}

std::string RootCache::root_directory(const std::string& digest) const {
  return directory_ + "/" + digits_of(digest) + kRoot;
}

Result<RootRecord> RootCache::find_or_build(const std::string& digest, const Fill& fill,
                                            const Progress& progress) {
  SF_TRY_ASSIGN(std::string digits, digest_digits(digest));
  auto is_known = [](const Result<RootRecord>& found) {
    return found.ok() || found.error().code != ErrorCode::kNotFound;
  };
  if (auto found = find(digest); is_known(found)) return found;
  SF_TRY_ASSIGN(os::UniqueFd held, lock(digits, progress));
  if (auto found = find(digest); is_known(found)) return found;  // made by another process
  return build(digits, fill);
}

// Requires: the lock of `digits` is held.
Result<RootRecord> RootCache::build(const std::string& digits, const Fill& fill) const {
  const std::string draft = draft_path(digits);
  SF_TRY(os::remove_tree(draft));  // left by a killed process
  ScopeExit undo([&] { (void)os::remove_tree(draft); });
  SF_TRY(os::make_directories(draft + kRoot));
  if (::chmod((draft + kRoot).c_str(), 0755) != 0) return os::last_error("making " + draft);
  SF_TRY_ASSIGN(RootRecord record, fill(draft + kRoot));
  record.digest = std::string(kAlgorithm) + digits;
  record.created_at = utc_now();
  record.bytes = os::tree_bytes(draft + kRoot);
  SF_TRY(os::write_file(draft + kRecord, to_text(record)));
  SF_TRY(sync_file_system(draft));
  SF_TRY(os::rename_path(draft, directory_ + "/" + digits));
  undo.dismiss();
  return record;
}

Result<std::vector<RootRecord>> RootCache::list() const {
  SF_TRY_ASSIGN(std::vector<std::string> entries, os::list_directory(directory_));
  std::vector<RootRecord> records;
  for (const std::string& entry : entries) {
    if (!is_sha256_digits(entry)) continue;
    if (auto record = find(std::string(kAlgorithm) + entry)) records.push_back(std::move(*record));
  }
  std::ranges::sort(records, {},
                    [](const RootRecord& one) { return std::pair(one.created_at, one.digest); });
  return records;
}

Status RootCache::remove(const std::string& digest) {
  SF_TRY_ASSIGN(std::string digits, digest_digits(digest));
  SF_TRY_ASSIGN(os::UniqueFd held, lock(digits));
  SF_TRY(edit_names([&](RootNames& names) {
    std::erase_if(names, [&](const auto& entry) { return entry.second == digest; });
  }));
  // After the rename it is a draft: if this process is killed, the next one removes the rest.
  SF_TRY(os::remove_tree(draft_path(digits)));
  SF_TRY(os::rename_path(directory_ + "/" + digits, draft_path(digits)));
  return os::remove_tree(draft_path(digits));
}

Result<RootNames> RootCache::names() const {
  const std::string path = directory_ + "/names.json";
  if (!os::exists(path)) return RootNames();
  SF_TRY_ASSIGN(std::string text, os::read_file(path, kMaxRecord));
  auto names = parse_root_names(text);
  if (!names) return std::move(names).error().while_doing(path);
  return names;
}

Status RootCache::edit_names(const std::function<void(RootNames&)>& edit) const {
  SF_TRY_ASSIGN(os::UniqueFd held, lock("names"));
  SF_TRY_ASSIGN(RootNames all, names());
  const RootNames before = all;
  edit(all);
  if (all == before) return Ok{};
  return os::publish_file(directory_ + "/names.json", to_text(all));
}

Status RootCache::set_name(const std::string& name, const std::string& digest) {
  SF_TRY(check_root_name(name));
  return edit_names([&](RootNames& names) { names[name] = digest; });
}

Result<std::string> RootCache::resolve(const std::string& word) const {
  SF_TRY_ASSIGN(RootNames known, names());
  SF_TRY_ASSIGN(std::vector<std::string> entries, os::list_directory(directory_));
  std::vector<std::string> digests;
  for (const std::string& entry : entries) {
    if (is_sha256_digits(entry)) digests.push_back(std::string(kAlgorithm) + entry);
  }
  return find_root(word, known, digests);
}

}  // namespace sf::roots
