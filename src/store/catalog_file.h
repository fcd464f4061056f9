// CatalogFile: opens the catalog's file safely. Only one process can have it open. A new file
// appears complete or not at all. A file that is damaged, newer or of another program is refused
// and not changed.
#pragma once

#include <span>
#include <string>

#include "base/result.h"
#include "os/fd.h"
#include "store/database.h"
#include "store/schema.h"

namespace sf::store {

struct CatalogFile {
  os::UniqueFd lock;  // on PATH.lock; released last
  Database db;
};

// Fails with kBusy if another process has it open, with kCorrupt if it is damaged, and with
// kUnsupported if a newer version wrote it; the hint says what to do.
Result<CatalogFile> open_catalog_file(const std::string& path,
                                      std::span<const SchemaStep> steps = schema_steps());

}  // namespace sf::store
