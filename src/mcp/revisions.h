// The supported revisions of MCP. Their names are dates, so they sort as text. Pure.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace sf::cli::mcp {

// The newest first.
inline constexpr std::array<std::string_view, 5> kRevisions = {
    "2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"};

// The first revision without a handshake: every request names its revision.
inline constexpr std::string_view kFirstStateless = "2026-07-28";
// The newest revision for `initialize`.
inline constexpr std::string_view kNewestWithHandshake = "2025-11-25";
// The only revision with batches: the next one removed them.
inline constexpr std::string_view kWithBatches = "2025-03-26";

constexpr bool is_known_revision(std::string_view name) {
  return std::find(kRevisions.begin(), kRevisions.end(), name) != kRevisions.end();
}
constexpr bool is_stateless(std::string_view revision) { return revision >= kFirstStateless; }

}  // namespace sf::cli::mcp
