#include "engine/criu/tty_image.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/criu/varint.h"

namespace sf::waypoint::criu {
namespace {

constexpr std::size_t kMagic = 8;  // two words before the first entry
// Fields of an entry in tty-info.img.
constexpr unsigned kInfoField = 1;  // its number
constexpr unsigned kSessionField = 6;
constexpr unsigned kGroupField = 7;
constexpr unsigned kDeviceField = 8;
constexpr std::uint64_t kFirstTerminal = 136U << 8U;  // device number of /dev/pts/0
// Fields of an entry in files.img.
constexpr unsigned kFileIdField = 2;
constexpr unsigned kTerminalFileField = 19;
// Fields of a terminal's file in it.
constexpr unsigned kTerminalFileIdField = 1;
constexpr unsigned kTerminalFileInfoField = 2;
constexpr unsigned kTextKind = 2;

struct ImageField {
  unsigned number = 0;
  unsigned kind = 0;
  std::uint64_t value = 0;   // if kind is 0
  std::string_view content;  // of the other kinds
  std::string_view whole;    // with the key
};

std::optional<std::vector<ImageField>> fields_of(std::string_view entry) {
  std::vector<ImageField> fields;
  for (std::string_view left = entry; !left.empty();) {
    std::string_view start = left;
    auto key = take_varint(left);
    if (!key) return std::nullopt;
    ImageField field;
    field.number = static_cast<unsigned>(*key >> 3U);
    field.kind = static_cast<unsigned>(*key & 7U);
    if (field.kind > 0 && field.kind != kTextKind && field.kind != 5) return std::nullopt;
    auto value = field.kind == 5 ? std::optional<std::uint64_t>(4) : take_varint(left);
    if (!value) return std::nullopt;
    if (field.kind == 0) {
      field.value = *value;
    } else {
      if (*value > left.size()) return std::nullopt;
      field.content = left.substr(0, *value);
      left.remove_prefix(*value);
    }
    field.whole = start.substr(0, start.size() - left.size());
    fields.push_back(field);
  }
  return fields;
}

// The value of a number; nothing if it is missing or no number.
std::optional<std::uint64_t> number_in(const std::vector<ImageField>& fields, unsigned number) {
  for (const ImageField& field : fields) {
    if (field.number == number && field.kind == 0) return field.value;
  }
  return std::nullopt;
}

void append_number(std::string& out, unsigned field, std::uint64_t value) {
  append_varint(out, field << 3U);
  append_varint(out, value);
}

void append_text(std::string& out, unsigned field, std::string_view text) {
  append_varint(out, field << 3U | kTextKind);
  append_varint(out, text.size());
  out += text;
}

void append_entry(std::string& out, std::string_view entry) {
  auto size = static_cast<std::uint32_t>(entry.size());
  out.append(reinterpret_cast<const char*>(&size), sizeof size);
  out += entry;
}

Result<std::vector<std::string_view>> entries_of(std::string_view image, const std::string& name) {
  if (image.size() < kMagic) return fail(ErrorCode::kCorrupt, name + " is too short");
  std::vector<std::string_view> entries;
  for (std::size_t at = kMagic; at < image.size();) {
    std::uint32_t size = 0;
    if (image.size() - at < sizeof size) return fail(ErrorCode::kCorrupt, name + " is truncated");
    std::memcpy(&size, image.data() + at, sizeof size);
    at += sizeof size;
    if (image.size() - at < size) return fail(ErrorCode::kCorrupt, name + " is truncated");
    entries.push_back(image.substr(at, size));
    at += size;
  }
  return entries;
}

struct Rewritten {
  std::string entry;
  bool wanted = false;  // it is the first terminal and has no session
};

std::optional<Rewritten> rewrite(std::string_view entry, unsigned session, unsigned group) {
  auto fields = fields_of(entry);
  if (!fields) return std::nullopt;
  Rewritten result;
  bool is_first = false;
  bool has_session = true;
  for (const ImageField& field : *fields) {
    bool is_ours = field.number == kSessionField || field.number == kGroupField ||
                   field.number == kDeviceField;
    if (is_ours && field.kind != 0) return std::nullopt;  // these fields are numbers
    if (field.number == kDeviceField) is_first = field.value == kFirstTerminal;
    if (field.number == kSessionField) has_session = field.value != 0;
    if (field.number == kSessionField || field.number == kGroupField) {
      append_number(result.entry, field.number, field.number == kSessionField ? session : group);
    } else {
      result.entry += field.whole;
    }
  }
  result.wanted = is_first && !has_session;
  return result;
}

// What files.img calls the first terminal; nothing if no process has it open.
Result<std::optional<std::uint64_t>> first_terminal(const std::string& terminals) {
  SF_TRY_ASSIGN(std::vector<std::string_view> entries, entries_of(terminals, "tty-info.img"));
  for (std::string_view entry : entries) {
    auto fields = fields_of(entry);
    if (!fields) return fail(ErrorCode::kCorrupt, "tty-info.img is malformed");
    if (number_in(*fields, kDeviceField) == kFirstTerminal) return number_in(*fields, kInfoField);
  }
  return std::optional<std::uint64_t>();
}

// An entry of files.img for one more open file of the same terminal.
std::string copy_of_file(const std::vector<ImageField>& file,
                         const std::vector<ImageField>& terminal, std::uint64_t id) {
  std::string inner;
  for (const ImageField& field : terminal) {
    if (field.number == kTerminalFileIdField) {
      append_number(inner, field.number, id);
    } else {
      inner += field.whole;
    }
  }
  std::string outer;
  for (const ImageField& field : file) {
    if (field.number == kFileIdField) {
      append_number(outer, field.number, id);
    } else if (field.number == kTerminalFileField) {
      append_text(outer, field.number, inner);
    } else {
      outer += field.whole;
    }
  }
  return outer;
}

}  // namespace

Result<std::string> with_terminal_session(const std::string& image, unsigned session,
                                          unsigned group) {
  SF_TRY_ASSIGN(std::vector<std::string_view> entries, entries_of(image, "tty-info.img"));
  std::string out = image.substr(0, kMagic);
  for (std::string_view entry : entries) {
    auto rewritten = rewrite(entry, session, group);
    if (!rewritten) return fail(ErrorCode::kCorrupt, "tty-info.img is malformed");
    append_entry(out, rewritten->wanted ? rewritten->entry : entry);
  }
  return out;
}

Result<std::string> with_terminal_leader(const std::string& files, const std::string& terminals) {
  SF_TRY_ASSIGN(std::optional<std::uint64_t> wanted, first_terminal(terminals));
  SF_TRY_ASSIGN(std::vector<std::string_view> entries, entries_of(files, "files.img"));
  std::uint64_t last_id = 0;
  std::size_t count = 0;
  std::vector<ImageField> file;
  std::vector<ImageField> terminal;
  for (std::string_view entry : entries) {
    auto fields = fields_of(entry);
    auto id = fields ? number_in(*fields, kFileIdField) : std::nullopt;
    if (!id) return fail(ErrorCode::kCorrupt, "files.img is malformed");
    last_id = std::max(last_id, *id);
    for (const ImageField& field : *fields) {
      if (field.number != kTerminalFileField) continue;
      auto inner = fields_of(field.content);
      if (!inner) return fail(ErrorCode::kCorrupt, "files.img is malformed");
      if (!wanted || number_in(*inner, kTerminalFileInfoField) != wanted) continue;
      if (++count > 1) continue;
      file = *fields;
      terminal = std::move(*inner);
    }
  }
  std::string out = files;
  if (count > 0 && count % 2 == 0) append_entry(out, copy_of_file(file, terminal, last_id + 1));
  return out;
}

}  // namespace sf::waypoint::criu
