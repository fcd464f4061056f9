#include <nlohmann/json.hpp>

#include "cli/commands/command_frame.h"
#include "cli/commands/subcommands.h"
#include "cli/render/text_layout.h"

namespace sf::cli {
namespace {

struct NoteArguments : CommandFrame {
  SessionAddress address;
  std::string node;
  std::vector<std::string> notes;
};

std::string notes_text(const wire::Json& node) {
  std::string text;
  for (const auto& [key, value] : node.at("notes").items())
    text += one_line(key) + "=" + one_line(value.get<std::string>()) + "\n";
  return text;
}

Result<int> run_note(const NoteArguments& arguments, ApiClient& client) {
  SF_TRY_ASSIGN(auto notes, parse_pairs(arguments.notes, "a note"));
  const std::string path = arguments.address.node_path(arguments.node);
  if (notes.empty()) {
    SF_TRY_ASSIGN(wire::Json node, client.get(path));
    return print_answer(arguments, node, notes_text);
  }
  wire::Json changes = wire::Json::object();
  for (const auto& [key, value] : notes)
    changes[key] = value.empty() ? wire::Json() : wire::Json(value);
  SF_TRY_ASSIGN(wire::Json node, client.patch(path, {{"notes", changes}}));
  return print_answer(arguments, node, [](const auto&) { return std::string(); });
}

}  // namespace

void add_note_command(CLI::App& app, int& exit_code) {
  auto [command, arguments] = add_daemon_command<NoteArguments>(
      app, exit_code, "note", "Keep notes with a node, or show them", run_note);
  add_session_argument(command, arguments.address);
  add_node_argument(command, "NODE", arguments.node)->required();
  command.add_option("NOTES", arguments.notes, "A note; KEY= alone removes it")
      ->option_text("KEY=VALUE...");
  command.footer(
      "Examples:\n"
      "  statefork note work n3 score=0.7 tried=pip\n"
      "  statefork note work n3 tried=\n"
      "  statefork note work n3");
}

}  // namespace sf::cli
