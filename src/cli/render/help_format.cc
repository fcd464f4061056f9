#include "cli/render/help_format.h"

#include <algorithm>

namespace sf::cli {
namespace {

// Moves the group of the daemon's options behind all other groups.
std::string with_daemon_last(std::string help) {
  const std::string mark = std::string("\n") + kDaemonGroup + ":\n";
  for (;;) {
    const std::size_t start = help.find(mark);
    const std::size_t end = help.find("\n\n", start + 1);
    if (start == std::string::npos || end == std::string::npos) return help;
    const std::size_t next = end + 2;
    if (help.find(":\n  -", next) != help.find('\n', next) - 1) return help;  // not a group
    const std::size_t next_end = std::min(help.find("\n\n", next), help.size());
    help.replace(
        start + 1, next_end - start - 1,
        help.substr(next, next_end - next) + "\n\n" + help.substr(start + 1, end - start - 1));
  }
}

}  // namespace

std::string argument_text(const CLI::Option& argument) {
  if (!argument.get_option_text().empty()) return argument.get_option_text();
  const bool many = argument.get_expected_max() >= CLI::detail::expected_max_vector_size;
  return argument.get_name(true, false) + (many ? "..." : "");
}

bool takes_value(const CLI::Option& option) { return option.get_items_expected_max() != 0; }

std::string option_text(const CLI::Option& option) {
  std::string text = option.get_name(false, true);
  if (takes_value(option)) text += " " + option.get_type_name();
  return text;
}

std::string description_text(const CLI::Option& option) {
  std::string more;
  if (takes_value(option) && !option.get_default_str().empty())
    more = "default: " + option.get_default_str();
  if (!option.get_envname().empty()) more += (more.empty() ? "" : ", ") + option.get_envname();
  return option.get_description() + (more.empty() ? "" : " (" + more + ")");
}

std::string usage_text(const CLI::App& command) {
  const CLI::App* parent = command.get_parent();
  std::string text = (parent == nullptr ? "" : parent->get_name() + " ") + command.get_name();
  if (parent == nullptr) return text + " COMMAND [OPTIONS] [ARGUMENTS]";
  text += " [OPTIONS]";
  for (const CLI::Option* option : command.get_options()) {
    if (!option->get_positional()) continue;
    const std::string shown = argument_text(*option);
    text += option->get_required() ? " " + shown : " [" + shown + "]";
  }
  return text;
}

std::string HelpFormatter::make_help(const CLI::App* app, std::string name,
                                     CLI::AppFormatMode mode) const {
  // Reduces several blank lines to one.
  return with_daemon_last(CLI::detail::find_and_replace(
      CLI::Formatter::make_help(app, std::move(name), mode), "\n\n\n", "\n\n"));
}

std::string HelpFormatter::make_usage(const CLI::App* app, std::string /*name*/) const {
  return "\nUsage: " + usage_text(*app) + "\n";
}

std::string HelpFormatter::make_option_name(const CLI::Option* option, bool is_positional) const {
  return is_positional ? argument_text(*option) : option_text(*option);
}

std::string HelpFormatter::make_option_desc(const CLI::Option* option) const {
  return description_text(*option);
}

}  // namespace sf::cli
