// Database: one SQLite connection with its prepared statements. Values are bound to `?` markers and
// never become part of the statement's text. Example (src/store/edit_writer.cc):
//
//   SF_TRY(db_.run("UPDATE nodes SET name = ? WHERE key = ?", e.name, key));
//
// Example (src/store/catalog_file.cc):
//
//   SF_TRY_ASSIGN(Rows rows, db.query("PRAGMA quick_check(1)"));
//   SF_TRY_ASSIGN(bool answered, rows.next());
//   std::string answer = answered ? rows.bytes(0) : "no answer";
//
// Texts of statements must be literals: a statement is prepared once and cached by its text.
// Not thread-safe.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>

#include "base/result.h"

namespace sf::store {

// Bound as a blob; a plain string is bound as text.
struct Blob {
  std::string_view bytes;
};

class Database;

// The rows of one query. The destructor frees the statement for its next use.
class Rows {
 public:
  Rows(Database& db, sqlite3_stmt* statement) : db_(&db), statement_(statement) {}
  Rows(Rows&& other) noexcept
      : db_(other.db_), statement_(std::exchange(other.statement_, nullptr)) {}
  Rows& operator=(Rows&&) = delete;
  ~Rows();

  // False if there are no more rows.
  Result<bool> next();
  // Requires: next() returned true.
  std::int64_t integer(int column) const { return sqlite3_column_int64(statement_, column); }
  std::uint64_t word(int column) const { return static_cast<std::uint64_t>(integer(column)); }
  std::string bytes(int column) const;  // of a text or a blob
  bool is_null(int column) const { return sqlite3_column_type(statement_, column) == SQLITE_NULL; }

 private:
  Database* db_;
  sqlite3_stmt* statement_;
};

class Database {
 public:
  // Requires: the file exists. Opening and closing write nothing until trust() was called.
  static Result<Database> open(const std::string& path);
  // Called after the file was checked. From now on, closing may merge the log.
  Status trust();

  // Runs any number of statements, without values.
  Status script(const char* sql);
  // Runs one statement; returns the number of changed rows.
  template <typename... Values>
  Result<std::int64_t> run(const char* sql, const Values&... values) {
    SF_TRY_ASSIGN(sqlite3_stmt * statement, prepared(sql));
    Rows rows(*this, statement);
    int position = 0;
    SF_TRY(all_bound((bind(statement, ++position, values, SQLITE_STATIC) && ...)));
    SF_TRY(rows.next());
    return sqlite3_changes64(handle_.get());
  }
  template <typename... Values>
  Result<Rows> query(const char* sql, const Values&... values) {
    SF_TRY_ASSIGN(sqlite3_stmt * statement, prepared(sql));
    Rows rows(*this, statement);
    int position = 0;
    SF_TRY(all_bound((bind(statement, ++position, values, SQLITE_TRANSIENT) && ...)));
    return rows;
  }
  // The first value of the first row; nullopt if there is no row.
  template <typename... Values>
  Result<std::optional<std::int64_t>> number(const char* sql, const Values&... values) {
    SF_TRY_ASSIGN(Rows rows, query(sql, values...));
    SF_TRY_ASSIGN(bool found, rows.next());
    if (!found) return std::optional<std::int64_t>();
    return std::optional<std::int64_t>(rows.integer(0));
  }

  std::int64_t last_key() const { return sqlite3_last_insert_rowid(handle_.get()); }
  bool in_transaction() const { return sqlite3_get_autocommit(handle_.get()) == 0; }
  const std::string& path() const { return path_; }
  // SQLite's last error. Its code tells the caller what to do.
  Error last_error() const;

 private:
  struct Close {
    void operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }
  };
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  using Statement = std::unique_ptr<sqlite3_stmt, Finalize>;

  Database(std::string path, sqlite3* handle) : path_(std::move(path)), handle_(handle) {}

  Result<sqlite3_stmt*> prepared(const char* sql);
  Status all_bound(bool bound) const {
    if (!bound) return last_error();
    return Ok{};
  }

  using Lifetime = sqlite3_destructor_type;
  template <typename T>
  static bool bind(sqlite3_stmt* statement, int position, const T& value, Lifetime lifetime) {
    if constexpr (std::is_integral_v<T>) {
      return sqlite3_bind_int64(statement, position, static_cast<sqlite3_int64>(value)) ==
             SQLITE_OK;
    } else if constexpr (std::is_same_v<T, Blob>) {
      return bind_blob(statement, position, value.bytes, lifetime);
    } else {
      return bind_text(statement, position, value, lifetime);
    }
  }
  template <typename T>
  static bool bind(sqlite3_stmt* statement, int position, const std::optional<T>& value,
                   Lifetime lifetime) {
    if (value) return bind(statement, position, *value, lifetime);
    return sqlite3_bind_null(statement, position) == SQLITE_OK;
  }
  static bool bind_blob(sqlite3_stmt* statement, int position, std::string_view bytes,
                        Lifetime lifetime);
  static bool bind_text(sqlite3_stmt* statement, int position, std::string_view text,
                        Lifetime lifetime);

  std::string path_;
  std::unique_ptr<sqlite3, Close> handle_;
  std::unordered_map<std::string_view, Statement> statements_;  // destroyed before the handle
};

// Rolled back unless committed.
class Transaction {
 public:
  static Result<Transaction> begin(Database& db);
  Transaction(Transaction&& other) noexcept : db_(std::exchange(other.db_, nullptr)) {}
  Transaction& operator=(Transaction&&) = delete;
  ~Transaction();
  // If it fails, nothing was written.
  Status commit() &&;

 private:
  explicit Transaction(Database& db) : db_(&db) {}
  Database* db_;
};

}  // namespace sf::store
