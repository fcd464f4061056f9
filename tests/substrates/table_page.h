// TablePage: docs/backends-table.md, in which the run of each backend writes its own row. Pure
// except for reading and writing the file.
#pragma once

#include <map>
#include <string>

#include "base/result.h"

namespace sf::test {

struct FamilyCount {
  int came_back = 0;
  int tried = 0;
};

// The counts, by name of the family.
Status write_row(const std::string& path, const std::string& backend,
                 const std::map<std::string, FamilyCount>& counts);

}  // namespace sf::test
