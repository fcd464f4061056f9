#include "store/database.h"

#include "os/error.h"

namespace sf::store {
namespace {

// The longest command is 16 MiB. A value that is much larger is an error.
constexpr int kMaxValue = 64 << 20;

ErrorCode code_of(int result, int os_errno) {
  if (os_errno == ENOSPC || os_errno == EDQUOT) return ErrorCode::kNoSpace;
  switch (result & 0xff) {
    case SQLITE_FULL:
      return ErrorCode::kNoSpace;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return ErrorCode::kBusy;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return ErrorCode::kCorrupt;
    case SQLITE_CONSTRAINT:
    case SQLITE_TOOBIG:
      return ErrorCode::kInvalidArgument;
    default:
      return ErrorCode::kOs;
  }
}

const char* hint_for(ErrorCode code) {
  switch (code) {
    case ErrorCode::kNoSpace:
      return "nothing was written; make room on its file system";
    case ErrorCode::kBusy:
      return "another program has it open: end that program";
    case ErrorCode::kCorrupt:
      return "the file was not changed: keep a copy of it and of its -wal file, then recover it "
             "with `sqlite3 FILE .recover`, or move both away to start without them";
    default:
      return "";
  }
}

// The result codes after which errno is valid.
bool comes_from_the_system(int result) {
  int primary = result & 0xff;
  return primary == SQLITE_IOERR || primary == SQLITE_CANTOPEN || primary == SQLITE_FULL ||
         primary == SQLITE_READONLY;
}

}  // namespace

Rows::~Rows() {
  if (statement_ == nullptr) return;
  sqlite3_reset(statement_);           // repeats the last error, which was returned before
  sqlite3_clear_bindings(statement_);  // the values may be freed now
}

Result<bool> Rows::next() {
  int result = sqlite3_step(statement_);
  if (result == SQLITE_ROW) return true;
  if (result == SQLITE_DONE) return false;
  return db_->last_error();
}

std::string Rows::bytes(int column) const {
  const void* data = sqlite3_column_blob(statement_, column);
  auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_, column));
  return size == 0 ? std::string() : std::string(static_cast<const char*>(data), size);
}

Result<Database> Database::open(const std::string& path) {
  sqlite3* handle = nullptr;
  int result =
      sqlite3_open_v2(path.c_str(), &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nullptr);
  Database db(path, handle);
  if (handle == nullptr) return fail(ErrorCode::kOs, path + ": no memory for a connection");
  if (result != SQLITE_OK) return db.last_error();
  sqlite3_extended_result_codes(handle, 1);
  sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, kMaxValue);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  return db;
}

Status Database::trust() {
  if (sqlite3_db_config(handle_.get(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0, nullptr) != SQLITE_OK)
    return last_error();
  return Ok{};
}

Status Database::script(const char* sql) {
  if (sqlite3_exec(handle_.get(), sql, nullptr, nullptr, nullptr) != SQLITE_OK) return last_error();
  return Ok{};
}

Result<sqlite3_stmt*> Database::prepared(const char* sql) {
  auto it = statements_.find(sql);
  if (it != statements_.end()) {
    // The statement must not be in use: two readers would mix up its rows.
    SF_CHECK(sqlite3_stmt_busy(it->second.get()) == 0);
    return it->second.get();
  }
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v3(handle_.get(), sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, nullptr) !=
      SQLITE_OK)
    return last_error();
  statements_.emplace(sql, Statement(statement));
  return statement;
}

bool Database::bind_blob(sqlite3_stmt* statement, int position, std::string_view bytes,
                         Lifetime lifetime) {
  // SQLite binds a null pointer as NULL, even if its size is 0.
  if (bytes.empty()) return sqlite3_bind_zeroblob(statement, position, 0) == SQLITE_OK;
  return sqlite3_bind_blob64(statement, position, bytes.data(), bytes.size(), lifetime) ==
         SQLITE_OK;
}

bool Database::bind_text(sqlite3_stmt* statement, int position, std::string_view text,
                         Lifetime lifetime) {
  const char* data = text.empty() ? "" : text.data();
  return sqlite3_bind_text64(statement, position, data, text.size(), lifetime, SQLITE_UTF8) ==
         SQLITE_OK;
}

Error Database::last_error() const {
  int result = sqlite3_extended_errcode(handle_.get());
  int os_errno = comes_from_the_system(result) ? sqlite3_system_errno(handle_.get()) : 0;
  ErrorCode code = code_of(result, os_errno);
  std::string message = path_ + ": " + sqlite3_errmsg(handle_.get());
  if (os_errno != 0) message += " (" + os::errno_text(os_errno) + ")";
  return Error{code, os_errno, std::move(message), hint_for(code)};
}

Result<Transaction> Transaction::begin(Database& db) {
  SF_TRY(db.run("BEGIN IMMEDIATE"));
  return Transaction(db);
}

Transaction::~Transaction() {
  // After a disk error, SQLite may have rolled back already.
  if (db_ != nullptr && db_->in_transaction()) (void)db_->run("ROLLBACK").ok();
}

Status Transaction::commit() && {
  SF_TRY(db_->run("COMMIT"));
  db_ = nullptr;
  return Ok{};
}

}  // namespace sf::store
