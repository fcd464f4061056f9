#include "engine/native/memory/missing_pages.h"

#include <algorithm>
#include <cerrno>

#include "engine/native/memory/pages_file.h"

namespace sf::waypoint::native {
namespace {

// Bytes loaded around a touched page: loading single pages would be slow.
constexpr std::uint64_t kWindow = 64U << 10U;
constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kAtOnce = 2U << 20U;

// Loads the piece from `at` on. If it spans several mappings (ENOENT), it is loaded page by page.
Result<std::uint64_t> bring_part(const UserFault& fault, const Piece& piece, std::uint64_t at,
                                 const unsigned char* bytes) {
  const unsigned char* from = bytes + piece.offset + (at - piece.start);
  auto done = fault.bring(at, from, piece.end - at);
  bool is_missing = !done && done.error().os_errno == ENOENT;
  return is_missing && piece.end - at > kPage ? fault.bring(at, from, kPage) : done;
}

void bring(const WatchedMemory& memory, std::uint64_t address) {
  std::uint64_t start = address / kWindow * kWindow;
  bool is_known = false;
  for (const Piece& piece : memory.backing.within({start, start + kWindow})) {
    is_known |= piece.start <= address && address < piece.end;
    const unsigned char* bytes = piece.file->bytes();
    for (std::uint64_t at = piece.start; bytes != nullptr && at < piece.end;) {
      auto done = bring_part(memory.fault, piece, at, bytes);
      if (!done && done.error().os_errno != ENOENT) break;
      at += std::max(done ? *done : kPage, kPage);
    }
  }
  // If a saved page could not be loaded, the thread faults again: no other content may be used.
  if (is_known) {
    memory.fault.wake({address, address + kPage});
  } else {
    memory.fault.bring_zero(address);
  }
}

// Returns true if more is missing.
bool bring_some(WatchedMemory& memory) {
  std::vector<Piece> pieces = memory.backing.within({0, ~0ULL});
  if (pieces.empty()) return false;
  Piece piece = cut(pieces.front(), {pieces.front().start, pieces.front().start + kAtOnce});
  const unsigned char* bytes = piece.file->bytes();
  if (bytes == nullptr) return true;  // mapping the file failed: try again later
  for (std::uint64_t at = piece.start; at < piece.end;) {
    auto done = bring_part(memory.fault, piece, at, bytes);
    if (!done && done.error().os_errno == ESRCH) return false;
    if (!done && done.error().os_errno != ENOENT) return true;  // ENOENT: nothing is mapped there
    at += std::max(done ? *done : kPage, kPage);
  }
  memory.backing.erase({piece.start, piece.end});
  return !memory.backing.empty();
}

bool answer_events(WatchedMemory& memory, std::vector<WatchedMemory>& born) {
  std::vector<FaultEvent> events = memory.fault.read();
  for (FaultEvent& event : events) {
    switch (event.kind) {
      case FaultEvent::Kind::kMissing:
        bring(memory, event.address);
        break;
      case FaultEvent::Kind::kMove:
        memory.backing.move(event.range.start, event.to, event.range.size());
        break;
      case FaultEvent::Kind::kRemove:
        memory.backing.erase(event.range);
        break;
      case FaultEvent::Kind::kFork:
        born.push_back(
            {UserFault(std::move(event.child)), UserFault::Purpose::kServe, memory.backing});
        break;
    }
  }
  return !events.empty();
}

}  // namespace

bool answer_events(WatchedProcesses& table) {
  bool happened = false;
  std::vector<WatchedMemory> born;
  for (WatchedMemory* memory : table.served()) happened |= answer_events(*memory, born);
  for (WatchedMemory& child : born) table.add_child(std::move(child));
  return happened;
}

void complete_some(WatchedProcesses& table) {
  WatchedMemory* child = table.child();
  if (child != nullptr && !bring_some(*child)) table.forget_child();
}

}  // namespace sf::waypoint::native
