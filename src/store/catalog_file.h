// CatalogFile: the catalog's file, opened safely. One process at a time; a new file appears whole
// or not at all; a file that is damaged, newer or somebody else's is refused and left as it is.
#pragma once

#include <span>
#include <string>

#include "base/result.h"
#include "os/fd.h"
#include "store/database.h"
#include "store/schema.h"

namespace sf::store {

struct CatalogFile {
  os::UniqueFd lock;  // on PATH.lock; goes last
  Database db;
};

// Fails with kBusy when another process has it open, kCorrupt when it is damaged, kUnsupported when
// a newer version wrote it; the hint says what to do.
Result<CatalogFile> open_catalog_file(const std::string& path,
                                      std::span<const SchemaStep> steps = schema_steps());

}  // namespace sf::store
