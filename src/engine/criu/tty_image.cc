#include "engine/criu/tty_image.h"

#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

#include "engine/criu/varint.h"

namespace sf::waypoint::criu {
namespace {

constexpr std::size_t kMagic = 8;  // two words before the first entry
constexpr unsigned kSessionField = 6;
constexpr unsigned kGroupField = 7;
constexpr unsigned kDeviceField = 8;
constexpr std::uint64_t kFirstTerminal = 136U << 8U;  // device number of /dev/pts/0

struct Rewritten {
  std::string entry;
  bool wanted = false;  // it is the first terminal and has no session
};

std::optional<Rewritten> rewrite(std::string_view entry, unsigned session, unsigned group) {
  Rewritten result;
  bool is_first = false;
  bool has_session = true;
  for (std::string_view left = entry; !left.empty();) {
    std::string_view start = left;
    auto key = take_varint(left);
    if (!key) return std::nullopt;
    std::uint64_t field = *key >> 3U;
    std::uint64_t kind = *key & 7U;
    if (kind > 0 && kind != 2 && kind != 5) return std::nullopt;
    auto value = kind == 5 ? std::optional<std::uint64_t>(4) : take_varint(left);
    if (!value) return std::nullopt;
    if (kind != 0) {
      if (*value > left.size()) return std::nullopt;
      left.remove_prefix(*value);
    }
    bool is_ours = field == kSessionField || field == kGroupField || field == kDeviceField;
    if (is_ours && kind != 0) return std::nullopt;  // these fields are numbers
    if (field == kDeviceField) is_first = *value == kFirstTerminal;
    if (field == kSessionField) has_session = *value != 0;
    if (field == kSessionField || field == kGroupField) {
      append_varint(result.entry, *key);
      append_varint(result.entry, field == kSessionField ? session : group);
    } else {
      result.entry += start.substr(0, start.size() - left.size());
    }
  }
  result.wanted = is_first && !has_session;
  return result;
}

}  // namespace

Result<std::string> with_terminal_session(const std::string& image, unsigned session,
                                          unsigned group) {
  if (image.size() < kMagic) return fail(ErrorCode::kCorrupt, "tty-info.img is too short");
  std::string out = image.substr(0, kMagic);
  for (std::size_t at = kMagic; at < image.size();) {
    std::uint32_t size = 0;
    if (image.size() - at < sizeof size)
      return fail(ErrorCode::kCorrupt, "tty-info.img is truncated");
    std::memcpy(&size, image.data() + at, sizeof size);
    at += sizeof size;
    if (image.size() - at < size) return fail(ErrorCode::kCorrupt, "tty-info.img is truncated");
    std::string_view entry = std::string_view(image).substr(at, size);
    auto rewritten = rewrite(entry, session, group);
    if (!rewritten) return fail(ErrorCode::kCorrupt, "tty-info.img is malformed");
    std::string kept = rewritten->wanted ? rewritten->entry : std::string(entry);
    auto new_size = static_cast<std::uint32_t>(kept.size());
    out.append(reinterpret_cast<const char*>(&new_size), sizeof new_size);
    out += kept;
    at += size;
  }
  return out;
}

}  // namespace sf::waypoint::criu
