#include "backends/text_patch.h"

#include <algorithm>
#include <vector>

namespace sf::backends {
namespace {

constexpr int kContext = 3;
constexpr int kMaxEdits = 600;  // above this, the search costs more than a short patch is worth

using Lines = std::vector<std::string_view>;  // each with its line end, if it has one

Lines split_lines(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    std::size_t end = text.find('\n');
    std::size_t length = end == std::string_view::npos ? text.size() : end + 1;
    lines.push_back(text.substr(0, length));
    text.remove_prefix(length);
  }
  return lines;
}

enum class Step : char { kKeep = ' ', kRemove = '-', kAdd = '+' };
using Script = std::vector<Step>;

Script replace_all(std::size_t removed, std::size_t added) {
  Script script(removed, Step::kRemove);
  script.insert(script.end(), added, Step::kAdd);
  return script;
}

// Greedy search for the shortest edit script (Myers 1986): after `d` edits, reach[k] is the
// furthest position in `a` on diagonal k = x - y. The script is read backwards from the trace of
// all rounds.
class ShortestScript {
 public:
  ShortestScript(const Lines& a, const Lines& b)
      : a_(a), b_(b), rows_(static_cast<int>(a.size())), cols_(static_cast<int>(b.size())) {}

  Script find() {
    int most = std::min(rows_ + cols_, kMaxEdits);
    std::vector<int> reach(2 * static_cast<std::size_t>(most) + 3, 0);
    auto at = [&](int k) -> int& { return reach[index(k + most + 1)]; };
    for (int d = 0; d <= most; ++d) {
      trace_.emplace_back();
      for (int k = -d; k <= d; k += 2) {
        bool down = k == -d || (k != d && at(k - 1) < at(k + 1));
        int x = down ? at(k + 1) : at(k - 1) + 1;
        while (x < rows_ && x - k < cols_ && a_[index(x)] == b_[index(x - k)]) ++x;
        at(k) = x;
        if (x >= rows_ && x - k >= cols_) return lead_back(d);
      }
      trace_.back().assign(reach.begin() + (most + 1 - d), reach.begin() + (most + 1 + d + 1));
    }
    return replace_all(a_.size(), b_.size());
  }

 private:
  static std::size_t index(int i) { return static_cast<std::size_t>(i); }
  // The position of diagonal k after round d.
  int reached(int d, int k) const { return trace_[index(d)][index(k + d)]; }

  Script lead_back(int d) const {
    Script script;
    int x = rows_;
    int y = cols_;
    for (; d > 0; --d) {
      int k = x - y;
      bool down = k == -d || (k != d && reach_before(d, k - 1) < reach_before(d, k + 1));
      int from_k = down ? k + 1 : k - 1;
      int from_x = reached(d - 1, from_k);
      int after_x = down ? from_x : from_x + 1;  // after the edit, before the equal lines
      for (; x > after_x; --x, --y) script.push_back(Step::kKeep);
      script.push_back(down ? Step::kAdd : Step::kRemove);
      x = from_x;
      y = from_x - from_k;
    }
    for (; x > 0; --x) script.push_back(Step::kKeep);
    std::ranges::reverse(script);
    return script;
  }
  int reach_before(int d, int k) const { return std::abs(k) > d - 1 ? -1 : reached(d - 1, k); }

  const Lines& a_;
  const Lines& b_;
  int rows_;
  int cols_;
  std::vector<std::vector<int>> trace_;
};

std::string range_text(std::size_t start, std::size_t count) {
  // An empty range is written as the line before it.
  std::string text = std::to_string(count == 0 ? start : start + 1);
  return count == 1 ? text : text + "," + std::to_string(count);
}

void append_line(std::string& out, Step step, std::string_view line) {
  out += static_cast<char>(step);
  out += line;
  if (!line.ends_with('\n')) out += "\n\\ No newline at end of file\n";
}

// Positions in both texts before step i of the script.
struct Location {
  std::size_t a = 0;
  std::size_t b = 0;
};

std::string print_hunks(const Lines& a, const Lines& b, const Script& script) {
  std::vector<Location> locations{{}};
  std::vector<std::size_t> edits;
  for (std::size_t i = 0; i < script.size(); ++i) {
    Location next = locations.back();
    if (script[i] != Step::kAdd) ++next.a;
    if (script[i] != Step::kRemove) ++next.b;
    if (script[i] != Step::kKeep) edits.push_back(i);
    locations.push_back(next);
  }
  std::string out;
  for (std::size_t e = 0; e < edits.size();) {
    std::size_t last = e;
    while (last + 1 < edits.size() && edits[last + 1] - edits[last] <= 2 * kContext + 1) ++last;
    std::size_t begin = edits[e] - std::min<std::size_t>(edits[e], kContext);
    std::size_t end = std::min(edits[last] + 1 + kContext, script.size());
    out += "@@ -" + range_text(locations[begin].a, locations[end].a - locations[begin].a) + " +" +
           range_text(locations[begin].b, locations[end].b - locations[begin].b) + " @@\n";
    for (std::size_t i = begin; i < end; ++i)
      append_line(out, script[i], script[i] == Step::kAdd ? b[locations[i].b] : a[locations[i].a]);
    e = last + 1;
  }
  return out;
}

bool is_continuation(unsigned char c) { return (c & 0xC0U) == 0x80U; }

}  // namespace

bool is_text(std::string_view content) {
  for (std::size_t i = 0; i < content.size();) {
    auto c = static_cast<unsigned char>(content[i]);
    if (c == 0) return false;
    std::size_t length = c < 0x80 ? 1 : c >= 0xC2 && c < 0xE0 ? 2 : c >= 0xE0 && c < 0xF0 ? 3 : 4;
    if (c >= 0x80 && (c < 0xC2 || c > 0xF4)) return false;
    if (i + length > content.size()) return false;
    for (std::size_t j = 1; j < length; ++j) {
      if (!is_continuation(static_cast<unsigned char>(content[i + j]))) return false;
    }
    i += length;
  }
  return true;
}

std::string unified_patch(std::string_view before, std::string_view after) {
  if (before == after) return {};
  Lines a = split_lines(before);
  Lines b = split_lines(after);
  // Skips equal lines at both ends, because most edits are small.
  std::size_t head = 0;
  while (head < a.size() && head < b.size() && a[head] == b[head]) ++head;
  std::size_t tail = 0;
  while (tail < a.size() - head && tail < b.size() - head &&
         a[a.size() - 1 - tail] == b[b.size() - 1 - tail])
    ++tail;
  auto middle = [&](const Lines& lines) {
    return Lines(lines.begin() + static_cast<std::ptrdiff_t>(head),
                 lines.end() - static_cast<std::ptrdiff_t>(tail));
  };
  Lines middle_a = middle(a);
  Lines middle_b = middle(b);
  Script script(head, Step::kKeep);
  Script found = ShortestScript(middle_a, middle_b).find();
  script.insert(script.end(), found.begin(), found.end());
  script.insert(script.end(), tail, Step::kKeep);
  return print_hunks(a, b, script);
}

}  // namespace sf::backends
