// Damaged catalogs: opened and read, or rejected with a reason and not changed.
//
// The input is either a whole file, or changes of a valid one: of bytes, or of values in its
// tables, which SQLite's own checks would not notice.
#include <array>
#include <cstdio>
#include <string>

#include "control/branch_tree.h"
#include "input.h"
#include "os/file.h"
#include "store/sqlite_catalog.h"
#include "testing/change_maker.h"
#include "testing/temp_dir.h"

namespace sf::fuzz {
namespace {

using store::SqliteCatalog;

constexpr std::size_t kMaxFile = 4U << 20U;
constexpr std::size_t kMaxEdits = 16;

std::string read_all(const std::string& path) { return os::read_file(path, kMaxFile).value(); }

// A valid file with one session that has every kind of record.
std::string good_file() {
  test::TempDir dir("sf-fuzz");
  const std::string path = dir / "catalog.sqlite";
  {
    auto catalog = SqliteCatalog::open(path).value();
    test::ChangeMaker maker(control::SessionId("s1"));
    for (unsigned i = 0; i < 60; ++i)
      SF_CHECK(catalog->append(maker.next({.kind = i % 18, .node = i / 3, .detail = i})).ok());
    SF_CHECK(catalog->load_all().value().size() == 1);
  }
  return read_all(path);
}

void change_bytes(Input& in, std::string& file) {
  for (std::size_t i = 0; i < kMaxEdits && !in.is_empty() && !file.empty(); ++i) {
    bool cut_off = in.byte() == 0;
    std::size_t at = in.number(3) % file.size();
    if (cut_off) {
      file.resize(at);
    } else {
      file[at] = static_cast<char>(in.byte());
    }
  }
}

struct Column {
  const char* table;
  const char* name;
  const char* key = "rowid";
};
constexpr std::array kColumns = {
    Column{"sessions", "id"},
    Column{"sessions", "next_node"},
    Column{"sessions", "created_us"},
    Column{"settings", "kind", "name"},
    Column{"settings", "name", "name"},
    Column{"settings", "value", "name"},
    Column{"settings", "session", "name"},
    Column{"nodes", "session"},
    Column{"nodes", "id"},
    Column{"nodes", "name"},
    Column{"nodes", "parent"},
    Column{"nodes", "key"},
    Column{"nodes", "created_us"},
    Column{"nodes", "physical_ref"},
    Column{"nodes", "physical_bytes"},
    Column{"notes", "node"},
    Column{"branches", "session"},
    Column{"branches", "id"},
    Column{"branches", "node"},
    Column{"branches", "alive"},
    Column{"node_log", "owner"},
    Column{"node_log", "position"},
    Column{"node_log", "kind"},
    Column{"node_log", "duration_us"},
    Column{"node_log", "text"},
    Column{"pending_log", "owner"},
    Column{"pending_log", "position"},
    Column{"pending_log", "kind"},
    Column{"costs", "memory_bytes"},
    Column{"costs", "took_us"},
    Column{"diverged_commands", "session"},
};

std::string as_blob(std::string_view bytes) {
  std::string text = "x'";
  for (char c : bytes) {
    std::array<char, 3> digits{};
    std::snprintf(digits.data(), digits.size(), "%02x", static_cast<unsigned char>(c));
    text += digits.data();
  }
  return text + "'";
}

std::string any_value(Input& in) {
  switch (in.byte() % 5) {
    case 0:
      return "NULL";
    case 1:
      return std::to_string(in.byte());
    case 2:
      return std::to_string(static_cast<std::int64_t>(in.number(8)));
    case 3:
      return "CAST(" + as_blob(in.take(in.byte() % 32U)) + " AS TEXT)";
    default:
      return as_blob(in.take(in.byte() % 32U));
  }
}

void change_values(Input& in, const std::string& path) {
  auto db = store::Database::open(path).value();
  for (std::size_t i = 0; i < kMaxEdits && !in.is_empty(); ++i) {
    const Column& column = kColumns[in.byte() % kColumns.size()];
    const std::string table = column.table;
    const std::string row = std::to_string(in.byte() % 32U);
    const std::string value = any_value(in);
    // The constraints of the tables may reject the value.
    (void)db
        .script(("UPDATE OR IGNORE " + table + " SET " + column.name + " = " + value + " WHERE " +
                 column.key + " IN (SELECT " + column.key + " FROM " + table + " LIMIT 1 OFFSET " +
                 row + ")")
                    .c_str())
        .ok();
  }
  SF_CHECK(db.trust().ok());  // closing merges the log into the file
}

void check_refusal(const Error& error) {
  check_clear(error);
  SF_CHECK(error.code == ErrorCode::kCorrupt || error.code == ErrorCode::kUnsupported);
  SF_CHECK(!error.hint.empty());
}

void check_contents(SqliteCatalog& catalog) {
  auto loaded = catalog.load_sessions();
  if (!loaded) return check_clear(loaded.error());
  for (control::SessionImage& image : loaded->images) {
    auto tree = control::BranchTree::from_image(image);
    if (!tree) {
      check_clear(tree.error(), ErrorCode::kCorrupt);
      continue;
    }
    SF_CHECK(control::BranchTree::from_image(tree->image()).ok());
  }
  // An unreadable session always has a name and can be removed. Then all sessions are readable.
  for (const store::UnreadableSession& session : loaded->unreadable) {
    check_clear(session.why, ErrorCode::kCorrupt);
    SF_CHECK(control::check_name(session.session.id.value(), "session id").ok());
    Status removed = catalog.remove_unreadable(session, control::WallTime());
    if (!removed) return check_clear(removed.error());  // nodes of another session refer to it
  }
  auto again = catalog.load_sessions();
  SF_CHECK(again.ok() && again->is_whole());
  auto costs = catalog.measured_costs("waypoint");
  if (!costs) check_clear(costs.error());
  auto operations = catalog.operations({});
  if (!operations) check_clear(operations.error());
}

}  // namespace

void catalog(std::string_view input) {
  static const std::string kGood = good_file();
  Input in(input);
  test::TempDir dir("sf-fuzz");
  const std::string path = dir / "catalog.sqlite";
  const unsigned kind = in.byte() % 3U;
  std::string file = kGood;
  if (kind == 0) file = in.rest();
  if (kind == 1) change_bytes(in, file);
  SF_CHECK(os::write_file(path, file).ok());
  if (kind == 2) {
    change_values(in, path);
    file = read_all(path);
  }

  auto opened = SqliteCatalog::open(path);
  if (opened) return check_contents(**opened);
  check_refusal(opened.error());
  SF_CHECK(read_all(path) == file);
}

}  // namespace sf::fuzz
