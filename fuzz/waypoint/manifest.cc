// Manifests: rejected with a reason, or read; a round trip keeps them.
#include "waypoint/manifest.h"

#include "input.h"

namespace sf::fuzz {

void manifest(std::string_view input) {
  Input in(input);
  const std::string text(in.until('\0'));
  const std::string terminal(in.rest());
  auto read = waypoint::parse_manifest(text, terminal);
  if (!read) return check_clear(read.error(), ErrorCode::kCorrupt);
  SF_CHECK(is_valid_id(read->info.id.value()));
  SF_CHECK(waypoint::terminal_bytes(read->state) == terminal);
  std::string written = waypoint::manifest_text(*read);
  auto again = waypoint::parse_manifest(written, terminal);
  SF_CHECK(again.ok());
  SF_CHECK(waypoint::manifest_text(*again) == written);
  Status restorable = waypoint::check_restorable(*read, "boot");
  if (!restorable) check_clear(restorable.error(), ErrorCode::kUnsupported);
}

}  // namespace sf::fuzz
