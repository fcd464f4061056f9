#include "cli_full/completion.h"

#include <algorithm>
#include <string_view>

#include "base/split.h"
#include "cli/render/help_format.h"

namespace sf::cli {
namespace {

// Joins words again: bash splits `--policy=ea` and `work:/etc` into three words each.
std::vector<std::string> rejoined(const std::vector<std::string>& words) {
  std::vector<std::string> whole;
  bool joins = false;
  for (const std::string& word : words) {
    const bool is_mark = word == "=" || word == ":";
    if ((is_mark || joins) && !whole.empty()) {
      whole.back() += word;
    } else {
      whole.push_back(word);
    }
    joins = is_mark;
  }
  return whole;
}

const CLI::App* find_command(const CLI::App& app, const std::string& name) {
  auto found = app.get_subcommands([&](const CLI::App* sub) { return sub->get_name() == name; });
  return found.empty() ? nullptr : found.front();
}

bool has_name(const CLI::Option& option, std::string_view word) {
  auto holds = [&](const std::vector<std::string>& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  if (word.starts_with("--")) return holds(option.get_lnames(), word.substr(2));
  return word.starts_with('-') && holds(option.get_snames(), word.substr(1));
}

const CLI::Option* find_option(const CLI::App& command, std::string_view word) {
  for (const CLI::Option* option : command.get_options()) {
    if (has_name(*option, word)) return option;
  }
  return nullptr;
}

// The place of the last word on the command line.
struct Location {
  const CLI::Option* value_of = nullptr;  // an option or argument; null: no more words are accepted
  bool may_be_option = true;
  std::string session;  // the session named before
};

Location find_location(const CLI::App& command, const std::vector<std::string>& before) {
  std::vector<const CLI::Option*> arguments =
      command.get_options([](const CLI::Option* option) { return option->get_positional(); });
  std::size_t next = 0;
  Location location;
  const CLI::Option* awaiting = nullptr;
  for (const std::string& word : before) {
    if (awaiting != nullptr) {
      awaiting = nullptr;
    } else if (word == "--") {
      return {.value_of = nullptr, .may_be_option = false};
    } else if (word.size() > 1 && word.starts_with('-')) {
      const CLI::Option* option = find_option(command, word);
      if (option != nullptr && takes_value(*option)) awaiting = option;
    } else if (next < arguments.size()) {
      if (arguments[next]->get_type_name() == "S") location.session = word;
      if (!arguments[next]->get_allow_extra_args()) ++next;
    }
  }
  if (awaiting != nullptr) return {.value_of = awaiting, .may_be_option = false};
  if (next < arguments.size()) location.value_of = arguments[next];
  return location;
}

void add_values(const CLI::Option& of, const std::string& session, const std::string& word,
                const NameSource& names, Completion& completion) {
  const std::string type = of.get_type_name();
  if (type == "S") {
    completion.candidates = names.sessions(word.find('/') != std::string::npos);
  } else if (type == "NODE") {
    if (!session.empty()) completion.candidates = names.nodes(session);
  } else if (type == "S:FILE") {
    if (word.find(':') != std::string::npos) return;
    completion.candidates = names.sessions(word.find('/') != std::string::npos);
    for (Candidate& candidate : completion.candidates) candidate.word += ':';
    completion.files = LocalFiles::kFiles;
  } else if (type == "FILE") {
    completion.files = LocalFiles::kFiles;
  } else if (type == "DIR") {
    completion.files = LocalFiles::kDirectories;
  } else if (type.find('|') != std::string::npos) {
    for (std::string& choice : split(type, '|'))
      completion.candidates.push_back({std::move(choice), ""});
  }
}

void add_options(const CLI::App& command, Completion& completion) {
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_group().empty() || !option->nonpositional()) continue;
    for (const std::string& name : option->get_lnames())
      completion.candidates.push_back({"--" + name, option->get_description()});
  }
}

}  // namespace

Completion complete(const CLI::App& app, const std::vector<std::string>& words,
                    const NameSource& names) {
  std::vector<std::string> whole = rejoined(words);
  Completion completion;
  if (whole.empty()) whole.emplace_back();
  std::string word = whole.back();
  whole.pop_back();
  std::string prefix;  // for every candidate: the option and = before a value
  const CLI::App* command = whole.empty() ? &app : find_command(app, whole.front());
  if (command == nullptr) return completion;
  if (command == &app) {
    if (word.starts_with('-')) add_options(app, completion);
    for (const CLI::App* sub : app.get_subcommands({}))
      completion.candidates.push_back({sub->get_name(), sub->get_description()});
  } else {
    Location location = find_location(*command, {whole.begin() + 1, whole.end()});
    const std::size_t equals = word.find('=');
    if (location.may_be_option && word.starts_with("--") && equals != std::string::npos) {
      const CLI::Option* option = find_option(*command, word.substr(0, equals));
      prefix = word.substr(0, equals + 1);
      location.value_of = option != nullptr && takes_value(*option) ? option : nullptr;
      word = word.substr(equals + 1);
    } else if (location.may_be_option && word.starts_with('-')) {
      add_options(*command, completion);
      location.value_of = nullptr;
    }
    if (location.value_of != nullptr)
      add_values(*location.value_of, location.session, word, names, completion);
  }
  std::erase_if(completion.candidates,
                [&](const Candidate& one) { return !one.word.starts_with(word); });
  for (Candidate& candidate : completion.candidates) candidate.word.insert(0, prefix);
  return completion;
}

std::string to_lines(const Completion& completion) {
  std::string text;
  for (const Candidate& one : completion.candidates)
    text += one.word + '\t' + one.description + '\n';
  if (completion.files == LocalFiles::kFiles) text += "%files\n";
  if (completion.files == LocalFiles::kDirectories) text += "%directories\n";
  return text;
}

}  // namespace sf::cli
