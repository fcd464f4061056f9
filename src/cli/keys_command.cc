#include <nlohmann/json.hpp>

#include "cli/command_frame.h"
#include "cli/key_names.h"
#include "cli/session_commands.h"
#include "cli/standard_input.h"
#include "wire/base64.h"

namespace sf::cli {
namespace {

struct KeysArguments : CommandFrame {
  SessionAddress address;
  std::vector<std::string> texts;
  bool literal = false;
  bool from_input = false;
};

constexpr std::size_t kMostKeys = 4U << 20U;  // what a terminal's input queue holds

Result<int> run_keys(const KeysArguments& arguments, const std::vector<std::string>& words,
                     const ApiClient& client) {
  std::vector<std::string> all = arguments.texts;
  all.insert(all.end(), words.begin(), words.end());
  std::string bytes;
  if (arguments.literal) {
    for (const std::string& text : all) bytes += text;
  } else {
    bytes = typed_bytes(all);
  }
  if (arguments.from_input) {
    SF_TRY_ASSIGN(std::string input,
                  read_standard_input(kMostKeys, "copy it with cp and let the program read that"));
    bytes += input;
  }
  if (bytes.empty()) return invalid("there is nothing to type", "statefork keys S 'ls -l' Enter");
  const bool text = wire::is_utf8(bytes);
  SF_TRY_ASSIGN(
      wire::Json answer,
      client.post(arguments.address.branch_path() + "/keys",
                  {{text ? "keys" : "keys_base64", text ? bytes : wire::to_base64(bytes)}}));
  if (const auto waiting = answer.value("waiting_bytes", std::uint64_t{0}); waiting > 0)
    print_remark(std::to_string(waiting) +
                 " typed bytes wait until the program in the terminal reads them");
  return print_answer(arguments, answer, [](const auto&) { return std::string(); });
}

}  // namespace

void add_keys_command(CLI::App& app, const std::vector<std::string>& words, int& exit_code) {
  auto [command, arguments] = add_daemon_command<KeysArguments>(
      app, exit_code, "keys", "Type into a session's terminal",
      [&words](const KeysArguments& given, const ApiClient& client) {
        return run_keys(given, words, client);
      });
  add_session_argument(command, arguments.address);
  command.add_option("TEXT", arguments.texts, "Text, or the name of a key")->option_text("TEXT...");
  command.add_flag("-l,--literal", arguments.literal, "Everything is text: no names of keys");
  command.add_flag("--stdin", arguments.from_input,
                   "Then types what standard input holds, as it is; at most 4 MiB");
  command.footer(
      "All of it is typed or nothing. What the program in the terminal does not read yet waits.\n"
      "Keys: Enter Tab BTab Space Escape BSpace Delete Insert Up Down Left Right Home End PageUp\n"
      "PageDown F1 to F12, C-x for Control and M-x for Alt. Put -- before text that begins with a\n"
      "dash or stands in [brackets].\n"
      "Examples:\n"
      "  statefork keys work 'vi notes' Enter\n"
      "  statefork keys work Escape :wq Enter\n"
      "  statefork keys work C-c");
}

}  // namespace sf::cli
