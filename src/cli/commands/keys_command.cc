#include <nlohmann/json.hpp>

#include "base/key_names.h"
#include "base/request_limits.h"
#include "cli/commands/command_frame.h"
#include "cli/commands/command_line.h"
#include "cli/commands/standard_input.h"
#include "cli/commands/subcommands.h"
#include "wire/input_message.h"

namespace sf::cli {
namespace {

struct KeysArguments : CommandFrame {
  SessionAddress address;
  std::vector<std::string> texts;
  bool literal = false;
  bool paste = false;
  bool from_input = false;
};

Result<InputEvents> input_of(const KeysArguments& arguments,
                             const std::vector<std::string>& words) {
  const bool is_mixed = !arguments.literal && !arguments.paste;
  InputEvents input;
  if (is_mixed) {
    SF_TRY_ASSIGN(input, input_from_words(words));
  }
  std::string text;
  for (const std::string& word : words) text += is_mixed ? "" : word;
  if (arguments.from_input) {
    SF_TRY_ASSIGN(
        std::string read,
        read_standard_input(kMaxQueuedInput, "copy it with cp and let the program read the file"));
    text += read;
  }
  const auto kind = arguments.paste ? InputEvent::Kind::kPaste : InputEvent::Kind::kText;
  if (!text.empty()) input.push_back({kind, std::move(text), {}});
  return input;
}

Result<int> run_keys(const KeysArguments& arguments, const std::vector<std::string>& words,
                     const ApiClient& client) {
  std::vector<std::string> all = arguments.texts;
  for (std::string& word : all) {
    if (word.starts_with(kWholeWord)) word.erase(0, 1);
  }
  all.insert(all.end(), words.begin(), words.end());
  SF_TRY_ASSIGN(InputEvents input, input_of(arguments, all));
  if (input.empty()) return invalid("nothing to type", "example: statefork keys S 'ls -l' Enter");
  SF_TRY_ASSIGN(wire::Json answer, client.post(arguments.address.branch_path() + "/keys",
                                               {{"input", wire::input_to_json(input)}}));
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
  CLI::Option* literal =
      command.add_flag("-l,--literal", arguments.literal, "Type every word as text, not as a key");
  command
      .add_flag("--paste", arguments.paste,
                "Paste every word as text, bracketed if the program supports it")
      ->excludes(literal);
  command.add_flag("--stdin", arguments.from_input,
                   "Then type standard input, unchanged; at most 4 MiB");
  command.footer(
      "Types everything or nothing. Input waits until the program in the terminal reads it.\n"
      "Keys: Enter Tab BTab Space Escape BSpace Delete Insert Up Down Left Right Home End PageUp\n"
      "PageDown F1 to F20, KP0 to KP9 KP+ KP- KP* KP/ KP. KPEnter, with C- for Control, M- for "
      "Alt\n"
      "and S- for Shift before them: C-c, M-x, S-Up, C-M-Left. They are encoded for the program's\n"
      "terminal modes. A misspelt key is an error, and nothing is typed; all other words are\n"
      "text. Put -- before text that begins with a dash.\n"
      "Examples:\n"
      "  statefork keys work 'vi notes' Enter\n"
      "  statefork keys work Escape :wq Enter\n"
      "  statefork keys work C-c\n"
      "  statefork keys work --paste \"$(cat patch)\"");
}

}  // namespace sf::cli
