// Formats --help: arguments have the documentation's names, and descriptions have the defaults and
// environment variables.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace sf::cli {

inline constexpr const char* kDaemonGroup = "Daemon";  // the options that come last

// "S", "KEY=VALUE...", "-- COMMAND... | -"
std::string argument_text(const CLI::Option& argument);
bool takes_value(const CLI::Option& option);  // a flag does not
// "-t,--timeout SECONDS"
std::string option_text(const CLI::Option& option);
// The description, with the default.
std::string description_text(const CLI::Option& option);
// "statefork exec [OPTIONS] S [-- COMMAND... | -]"
std::string usage_text(const CLI::App& command);

class HelpFormatter : public CLI::Formatter {
 public:
  HelpFormatter() { label("Positionals", "Arguments"); }
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override;
  std::string make_usage(const CLI::App* app, std::string name) const override;
  std::string make_option_name(const CLI::Option* option, bool is_positional) const override;
  std::string make_option_opts(const CLI::Option* /*option*/) const override { return {}; }
  std::string make_option_desc(const CLI::Option* option) const override;
};

}  // namespace sf::cli
