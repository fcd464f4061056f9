#include "cli_full/apply_patch.h"

#include <fmt/format.h>

#include "backends/text_patch.h"

namespace sf::cli {

using explore::ApplyStep;
using explore::FileState;
using explore::MaybeFile;

namespace {

// The three file modes of git.
const char* mode_text(const FileState& file) {
  if (file.is_link) return "120000";
  return (file.mode & 0100U) != 0 ? "100755" : "100644";
}

std::string text_of(const MaybeFile& file) { return file ? file->content : ""; }

// Quotes a name if git would.
std::string quoted(const std::string& name) {
  std::string text;
  bool is_plain = true;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_odd = byte < ' ' || byte >= 0x7f || c == '"' || c == '\\';
    text += is_odd ? fmt::format("\\{:03o}", byte) : std::string(1, c);
    is_plain = is_plain && !is_odd;
  }
  return is_plain ? name : '"' + text + '"';
}

std::string one_patch(const std::string& path, const MaybeFile& before, const MaybeFile& wanted) {
  const std::string a = quoted("a/" + path);
  const std::string b = quoted("b/" + path);
  std::string text = "diff --git " + a + " " + b + "\n";
  if (!before) {
    text += fmt::format("new file mode {}\n", mode_text(*wanted));
  } else if (!wanted) {
    text += fmt::format("deleted file mode {}\n", mode_text(*before));
  } else if (const std::string old = mode_text(*before); old != mode_text(*wanted)) {
    text += fmt::format("old mode {}\nnew mode {}\n", old, mode_text(*wanted));
  }
  if (!backends::is_text(text_of(before)) || !backends::is_text(text_of(wanted)))
    return text + "Binary files " + a + " and " + b + " differ\n";
  const std::string hunks = backends::unified_patch(text_of(before), text_of(wanted));
  if (hunks.empty()) return text;
  text += "--- " + (before ? a : std::string("/dev/null")) + "\n";
  text += "+++ " + (wanted ? b : std::string("/dev/null")) + "\n";
  return text + hunks;
}

}  // namespace

std::string patch_of(const ApplyStep& step) {
  if (step.kind == explore::ApplyKind::kNothing) return "";
  // A patch cannot turn a file into a link, so delete one and add the other.
  if (step.before && step.wanted && step.before->is_link != step.wanted->is_link)
    return one_patch(step.path, step.before, {}) + one_patch(step.path, {}, step.wanted);
  return one_patch(step.path, step.before, step.wanted);
}

}  // namespace sf::cli
