#include "backends/hosted/unfinished_files.h"

#include <unistd.h>

#include "backends/hosted/tool_search.h"

namespace sf::backends {

void remove_drafts(const std::string& directory) {
  auto names = names_in(directory);
  if (!names) return;
  for (const std::string& name : *names) {
    if (name.ends_with(kDraftEnd)) (void)::unlink((directory + "/" + name).c_str());
  }
}

}  // namespace sf::backends
