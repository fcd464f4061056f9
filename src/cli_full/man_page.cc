#include "cli_full/man_page.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

#include "base/split.h"
#include "cli/render/help_format.h"

namespace sf::cli {
namespace {

// Escapes text so that roff prints it literally.
std::string plain(std::string_view text) {
  std::string roff;
  for (char c : text) {
    if (c == '\\') {
      roff += "\\e";
    } else if (c == '-') {
      roff += "\\-";
    } else if (c == '\'') {
      roff += "\\(aq";
    } else if (c == '`') {
      roff += "\\(ga";
    } else if (c == '^') {
      roff += "\\(ha";
    } else if (c == '~') {
      roff += "\\(ti";
    } else {
      roff += c;
    }
  }
  return roff.starts_with('.') ? "\\&" + roff : roff;
}

std::string in_quotes(std::string_view text) {
  std::string roff = plain(text);
  for (std::size_t at = 0; (at = roff.find('"', at)) != std::string::npos; at += 4)
    roff.replace(at, 1, "\\(dq");
  return '"' + roff + '"';
}

std::string item(const std::string& tag, const std::string& text) {
  return ".TP\n.B " + in_quotes(tag) + "\n" + plain(text) + "\n";
}

std::string as_written(std::string_view text) {
  std::string roff = ".PP\n.nf\n";
  for (const std::string& line : split(text, '\n')) roff += plain(line) + "\n";
  return roff + ".fi\n";
}

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

using Options = std::vector<const CLI::Option*>;

// The command's visible options that are not in `common`.
Options options_of(const CLI::App& command, const Options& common) {
  return command.get_options([&](const CLI::Option* option) {
    auto same = [&](const CLI::Option* other) {
      return option->nonpositional() && other->get_name() == option->get_name();
    };
    return !option->get_group().empty() && std::none_of(common.begin(), common.end(), same);
  });
}

// The options that nearly every command has; they are described once.
Options common_options(const std::vector<const CLI::App*>& commands) {
  Options common;
  std::map<std::string, std::size_t> seen;
  for (const CLI::App* command : commands) {
    for (const CLI::Option* option : options_of(*command, {})) {
      if (option->nonpositional() && ++seen[option->get_name()] == commands.size() / 2 + 1)
        common.push_back(option);
    }
  }
  return common;
}

std::string command_section(const CLI::App& command, const Options& common) {
  std::string roff = ".SS " + in_quotes(usage_text(command)) + "\n";
  roff += plain(command.get_description()) + ".\n";
  for (const CLI::Option* option : options_of(command, common))
    roff += item(option->get_positional() ? argument_text(*option) : option_text(*option),
                 description_text(*option));
  if (!command.get_footer().empty()) roff += as_written(command.get_footer());
  return roff;
}

}  // namespace

std::string man_page(const CLI::App& app) {
  std::vector<const CLI::App*> commands =
      app.get_subcommands([](const CLI::App* sub) { return !sub->get_group().empty(); });
  const Options common = common_options(commands);
  std::string roff = ".TH STATEFORK 1 \"\" " + in_quotes(app.version()) +
                     " \"User Commands\"\n"
                     ".SH NAME\nstatefork \\- a terminal that can be branched\n"
                     ".SH SYNOPSIS\n.B " +
                     plain(usage_text(app)) + "\n.SH DESCRIPTION\n";
  for (const std::string& line : split(app.get_description(), '\n')) roff += plain(line) + "\n";
  roff += as_written(app.get_footer());
  std::string group;
  for (const CLI::App* command : commands) {
    if (command->get_group() != group)
      roff += ".SH " + in_quotes(upper(command->get_group())) + "\n";
    group = command->get_group();
    roff += command_section(*command, common);
  }
  roff += ".SH COMMON OPTIONS\n";
  for (const CLI::Option* option : common)
    roff += item(option_text(*option), description_text(*option));
  roff += ".SH EXIT STATUS\n" + item("0", "Done.") + item("1", "Failed; standard error says why.") +
          item("2", "The command line is wrong.") +
          plain("`statefork exec` and `run` return their command's status instead.") + "\n";
  roff += ".SH ENVIRONMENT\n";
  for (const CLI::Option* option : common) {
    if (!option->get_envname().empty())
      roff += item(option->get_envname(), option->get_description() + ".");
  }
  return roff + item("NO_COLOR", "If set: no colours.");
}

}  // namespace sf::cli
