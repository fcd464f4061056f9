#include "explore/tasks/dockerfile.h"

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/split.h"

namespace sf::explore {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r'; }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

bool is_name_part(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// The lines of a file and the position of the reader.
class Lines {
 public:
  explicit Lines(std::string_view text) : lines_(split(text, '\n')) {
    for (std::string& line : lines_) {
      if (line.ends_with('\r')) line.pop_back();
    }
  }
  bool at_end() const { return next_ == lines_.size(); }
  int number() const { return static_cast<int>(next_) + 1; }  // of the next line, from 1
  std::string take() { return lines_[next_++]; }

 private:
  std::vector<std::string> lines_;
  std::size_t next_ = 0;
};

bool is_skipped(std::string_view line) {
  line = trimmed(line);
  return line.empty() || line.front() == '#';
}

// The escape character: from a comment "# escape=`" at the top, else a backslash.
char escape_of(std::string_view text) {
  for (const std::string& line : split(text, '\n')) {
    std::string_view rest = trimmed(line);
    if (!rest.starts_with('#')) break;
    rest = trimmed(rest.substr(1));
    if (rest.starts_with("escape=") && rest.size() == 8) return rest.back();
  }
  return '\\';
}

// One instruction with its continuation lines. Skips comments and empty lines between them.
std::string join_continued(Lines& lines, char escape) {
  std::string whole;
  for (bool first = true;; first = false) {
    if (lines.at_end()) return whole;
    std::string line = lines.take();
    if (is_skipped(line) && first) return line;
    if (is_skipped(line)) continue;
    std::string_view end = trimmed(line);
    if (end.empty() || end.back() != escape) return whole + line;
    whole += std::string(line, 0, line.rfind(escape));
  }
}

struct Marker {
  HereDocument document;
  bool drops_tabs = false;
};

// Finds "<<EOT", "<<-EOT" and "<<'EOT'" at the beginning of words.
std::vector<Marker> markers_in(std::string_view text) {
  std::vector<Marker> found;
  for (std::size_t at = text.find("<<"); at != std::string_view::npos;
       at = text.find("<<", at + 2)) {
    std::size_t here = at + 2;
    if (here < text.size() && text[here] == '<') {  // a here-string
      at = here;
      continue;
    }
    if (at > 0 && !is_space(text[at - 1])) continue;  // a shift, or within another word
    Marker marker;
    if (here < text.size() && text[here] == '-') {
      marker.drops_tabs = true;
      ++here;
    }
    const bool quoted = here < text.size() && (text[here] == '"' || text[here] == '\'');
    if (quoted) ++here;
    std::size_t end = here;
    while (end < text.size() && is_name_part(text[end])) ++end;
    if (end == here) continue;
    marker.document.name = std::string(text.substr(here, end - here));
    marker.document.expands = !quoted;
    found.push_back(std::move(marker));
  }
  return found;
}

Result<HereDocument> read_document(Lines& lines, Marker marker, int line) {
  while (!lines.at_end()) {
    std::string next = lines.take();
    if (marker.drops_tabs) next.erase(0, std::min(next.find_first_not_of('\t'), next.size()));
    if (next == marker.document.name) return std::move(marker.document);
    marker.document.content += next + "\n";
  }
  return invalid("line " + std::to_string(line) + ": the here-document <<" + marker.document.name +
                 " does not end");
}

Result<Instruction> parse_instruction(const std::string& joined, int line) {
  std::string_view rest = trimmed(joined);
  std::size_t end = 0;
  while (end < rest.size() && !is_space(rest[end])) ++end;
  Instruction made;
  made.line = line;
  made.keyword = std::string(rest.substr(0, end));
  std::ranges::transform(made.keyword, made.keyword.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  rest = trimmed(rest.substr(end));
  while (rest.starts_with("--")) {
    std::size_t stop = 0;
    while (stop < rest.size() && !is_space(rest[stop])) ++stop;
    const std::string_view flag = rest.substr(2, stop - 2);
    const std::size_t equals = flag.find('=');
    made.flags[std::string(flag.substr(0, equals))] =
        equals == std::string_view::npos ? "true" : std::string(flag.substr(equals + 1));
    rest = trimmed(rest.substr(stop));
  }
  made.text = std::string(rest);
  if (rest.starts_with('[')) {
    auto list = nlohmann::json::parse(rest, nullptr, false);
    const bool is_words = list.is_array() && std::ranges::all_of(list, [](const auto& word) {
                            return word.is_string();
                          });
    if (is_words) made.words = list.get<std::vector<std::string>>();
  }
  if (made.text.empty())
    return invalid("line " + std::to_string(line) + ": " + made.keyword + " has no arguments");
  return made;
}

// Expands "NAME" or "{NAME:-else}" after a '$' and moves `at` behind it.
std::optional<std::string> take_variable(std::string_view text, std::size_t& at,
                                         const std::map<std::string, std::string>& variables) {
  auto value_of = [&](std::string_view name) {
    auto found = variables.find(std::string(name));
    return found == variables.end() ? std::string() : found->second;
  };
  if (at < text.size() && text[at] == '{') {
    const std::size_t close = text.find('}', at);
    if (close == std::string_view::npos) return std::nullopt;
    const std::string_view inside = text.substr(at + 1, close - at - 1);
    const std::size_t colon = inside.find(':');
    const std::string value = value_of(inside.substr(0, colon));
    at = close + 1;
    if (colon == std::string_view::npos || colon + 1 >= inside.size()) return value;
    const std::string other = substitute(inside.substr(colon + 2), variables);
    if (inside[colon + 1] == '-') return value.empty() ? other : value;
    if (inside[colon + 1] == '+') return value.empty() ? value : other;
    return value;
  }
  std::size_t end = at;
  while (end < text.size() && is_name_part(text[end])) ++end;
  if (end == at) return std::nullopt;
  const std::string_view name = text.substr(at, end - at);
  at = end;
  return value_of(name);
}

}  // namespace

Result<std::vector<Instruction>> parse_dockerfile(std::string_view text) {
  const char escape = escape_of(text);
  Lines lines(text);
  std::vector<Instruction> all;
  while (!lines.at_end()) {
    const int line = lines.number();
    const std::string joined = join_continued(lines, escape);
    if (is_skipped(joined)) continue;
    SF_TRY_ASSIGN(Instruction made, parse_instruction(joined, line));
    const bool may_have = made.keyword == "RUN" || made.keyword == "COPY" || made.keyword == "ADD";
    if (may_have && made.words.empty()) {
      for (Marker& marker : markers_in(made.text)) {
        SF_TRY_ASSIGN(HereDocument document, read_document(lines, std::move(marker), line));
        made.documents.push_back(std::move(document));
      }
    }
    all.push_back(std::move(made));
  }
  if (all.empty()) return invalid("the Dockerfile has no instructions");
  return all;
}

std::string substitute(std::string_view text, const std::map<std::string, std::string>& variables) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == '\\' && at + 1 < text.size() && text[at + 1] == '$') {
      out.push_back('$');
      at += 2;
      continue;
    }
    if (text[at] != '$') {
      out.push_back(text[at++]);
      continue;
    }
    std::size_t behind = at + 1;
    auto value = take_variable(text, behind, variables);
    out += value ? *value : std::string(1, '$');
    at = value ? behind : at + 1;
  }
  return out;
}

Result<std::vector<std::string>> split_words(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  bool has_word = false;
  char quote = '\0';
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (quote == '\0' && is_space(c)) {
      if (has_word) words.push_back(std::exchange(word, {}));
      has_word = false;
      continue;
    }
    has_word = true;
    if (quote == '\0' && (c == '"' || c == '\'')) {
      quote = c;
    } else if (quote != '\0' && c == quote) {
      quote = '\0';
    } else if (c == '\\' && quote != '\'' && at + 1 < text.size()) {
      // Keep a backslash before a dollar sign: substitute() handles it.
      if (text[at + 1] == '$') word.push_back(c);
      word.push_back(text[++at]);
    } else {
      word.push_back(c);
    }
  }
  if (quote != '\0') return invalid(std::string("missing closing ") + quote);
  if (has_word) words.push_back(std::move(word));
  return words;
}

Result<std::vector<std::pair<std::string, std::string>>> parse_pairs(std::string_view text) {
  SF_TRY_ASSIGN(std::vector<std::string> words, split_words(text));
  std::vector<std::pair<std::string, std::string>> pairs;
  if (words.empty()) return pairs;
  if (words.front().find('=') == std::string::npos) {
    const std::string_view rest = trimmed(trimmed(text).substr(words.front().size()));
    if (rest.empty()) return invalid(words.front() + " has no value");
    pairs.emplace_back(words.front(), rest);
    return pairs;
  }
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos || equals == 0)
      return invalid("\"" + word + "\" is not KEY=VALUE");
    pairs.emplace_back(word.substr(0, equals), word.substr(equals + 1));
  }
  return pairs;
}

}  // namespace sf::explore
