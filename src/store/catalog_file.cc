#include "store/catalog_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>

#include "base/clock.h"
#include "os/error.h"
#include "os/file.h"
#include "os/file_lock.h"

namespace sf::store {
namespace {

// If the owner was killed while it started a child, the child holds the lock until it execs.
constexpr milliseconds kLockWait{300};
constexpr std::size_t kMaxLockText = 64;

// Resolves links, so that two names of one file get the same lock.
Result<std::string> without_links(const std::string& path) {
  if (os::exists(path)) return os::real_path(path);
  std::size_t slash = path.rfind('/');
  std::string directory = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  SF_TRY_ASSIGN(std::string real, os::real_path(directory));
  return real + "/" + (slash == std::string::npos ? path : path.substr(slash + 1));
}

Error in_use(const std::string& path, const std::string& lock_path) {
  Result<std::string> owner = os::read_file(lock_path, kMaxLockText);
  std::string who = owner.ok() && !owner->empty() ? "process " + *owner : "another process";
  return fail(ErrorCode::kBusy, path + " is in use by " + who,
              "a catalog can have one daemon: use that one, or end it first");
}

Result<os::UniqueFd> take_lock(const std::string& path) {
  const std::string lock_path = path + ".lock";
  Result<os::UniqueFd> lock = os::open_file(lock_path, O_RDWR | O_CREAT, 0600);
  if (!lock)
    return std::move(lock).error().with_hint("the catalog needs a directory that it can write to");
  SF_TRY_ASSIGN(bool ours, os::take_lock(*lock, Deadline::after(kLockWait)));
  if (!ours) return in_use(path, lock_path);
  if (::ftruncate(lock->get(), 0) != 0) return os::last_error("writing " + lock_path);
  // The pid is used only in the message above, so a full disk is not an error.
  (void)os::write_all(lock->get(), std::to_string(::getpid())).ok();
  return lock;
}

// Settings of the connection; they do not depend on the file's content.
Status configure(Database& db) {
  // With an exclusive lock SQLite keeps the index of the log in memory. A shared-memory file could
  // be truncated by a full disk. NORMAL: see docs/decisions/0005-sqlite-catalog.md.
  return db.script(
      "PRAGMA locking_mode = EXCLUSIVE;"
      "PRAGMA synchronous = NORMAL;"
      "PRAGMA cache_size = -16384;"
      "PRAGMA wal_autocheckpoint = 4000;"
      "PRAGMA journal_size_limit = 67108864;"
      "PRAGMA trusted_schema = OFF;");
}

Status use_write_ahead_log(Database& db) {
  SF_TRY_ASSIGN(Rows rows, db.query("PRAGMA journal_mode = WAL"));
  SF_TRY_ASSIGN(bool answered, rows.next());
  if (answered && rows.bytes(0) == "wal") return Ok{};
  return fail(ErrorCode::kUnsupported, db.path() + ": no write-ahead log on this file system",
              "put the store on a local file system");
}

Status create(const std::string& path, std::span<const SchemaStep> steps) {
  const std::string draft = path + ".draft";
  ::unlink(draft.c_str());  // a killed process may have left it
  ::unlink((draft + "-wal").c_str());
  SF_TRY(os::write_file(draft, ""));  // ours, because SQLite would make it world-readable
  {
    SF_TRY_ASSIGN(Database db, Database::open(draft));
    SF_TRY(configure(db));
    SF_TRY(use_write_ahead_log(db));
    SF_TRY(db.script(("PRAGMA application_id = " + std::to_string(kApplicationId)).c_str()));
    SF_TRY(migrate(db, steps));
    SF_TRY(db.trust());  // so that closing merges the log into the file
  }
  if (os::exists(draft + "-wal"))
    return fail(ErrorCode::kOs, draft + ": its log could not be merged");
  return os::rename_path(draft, path);
}

Error damaged(const std::string& path, const std::string& how) {
  return fail(ErrorCode::kCorrupt, path + " " + how,
              "the file was not changed: restore it from a backup, or move it and its -wal file "
              "away to start without its sessions");
}

Status check_presence(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return os::last_error(path);
  if (!S_ISREG(info.st_mode)) return damaged(path, "is not a file");
  // A new catalog is renamed into place when it is complete, so another program emptied this file.
  if (info.st_size == 0) return damaged(path, "is empty");
  return Ok{};
}

Status check_integrity(Database& db) {
  SF_TRY_ASSIGN(Rows rows, db.query("PRAGMA quick_check(1)"));
  SF_TRY_ASSIGN(bool answered, rows.next());
  std::string answer = answered ? rows.bytes(0) : "no answer";
  if (answer == "ok") return Ok{};
  return damaged(db.path(), "is damaged: " + answer.substr(0, 200));
}

Status check_identity(Database& db, std::span<const SchemaStep> steps) {
  SF_TRY_ASSIGN(std::optional<std::int64_t> id, db.number("PRAGMA application_id"));
  if (id != kApplicationId)
    return damaged(db.path(), "is a database, but not a catalog of sessions");
  SF_TRY_ASSIGN(int version, schema_version(db));
  if (version < 1) return damaged(db.path(), "has no version");
  if (version > steps.back().version) return migrate(db, steps);  // refuses, and states the reason
  return Ok{};
}

Status prepare(Database& db, std::span<const SchemaStep> steps) {
  SF_TRY(configure(db));
  SF_TRY(check_identity(db, steps));
  SF_TRY(check_integrity(db));
  SF_TRY(use_write_ahead_log(db));
  SF_TRY(migrate(db, steps));
  SF_TRY(db.script("PRAGMA foreign_keys = ON"));
  return db.trust();
}

}  // namespace

Result<CatalogFile> open_catalog_file(const std::string& path, std::span<const SchemaStep> steps) {
  Result<std::string> found = without_links(path);
  if (!found) return std::move(found).error().while_doing("opening the catalog " + path);
  const std::string& real = *found;
  SF_TRY_ASSIGN(os::UniqueFd lock, take_lock(real));
  if (!os::exists(real)) {
    if (os::exists(real + "-wal"))
      return damaged(real, "is missing, but its write-ahead log " + real + "-wal exists");
    Status created = create(real, steps);
    if (!created) return std::move(created).error().while_doing("creating the catalog " + real);
  }
  SF_TRY(check_presence(real));
  SF_TRY_ASSIGN(Database db, Database::open(real));
  Status prepared = prepare(db, steps);
  if (!prepared) return std::move(prepared).error().while_doing("opening the catalog");
  return CatalogFile{std::move(lock), std::move(db)};
}

}  // namespace sf::store
