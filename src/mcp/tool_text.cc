#include "mcp/tool_text.h"

#include <cstdint>
#include <nlohmann/json.hpp>

#include "cli/render/text_layout.h"
#include "cli/render/tree_drawing.h"

namespace sf::cli::mcp {
namespace {

using wire::Json;

constexpr std::size_t kShownCommand = 200;

std::string took_text(const Json& report) {
  return duration_text(report.value("took_us", std::int64_t{0}));
}

std::string ended_line(std::string text) {
  if (!text.empty() && text.back() != '\n') text += '\n';
  return text;
}

// Cuts between characters.
std::string shortened(const std::string& text) {
  if (text.size() <= kShownCommand) return text;
  std::size_t end = kShownCommand;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return text.substr(0, end) + "...";
}

Json commands_of(const Json& log) {
  Json commands = Json::array();
  for (const Json& entry : log) commands.push_back(shortened(entry.value("text", "")));
  return commands;
}

std::string joined(const Json& texts) {
  std::string text;
  for (const Json& one : texts) text += (text.empty() ? "" : ", ") + one.get<std::string>();
  return text;
}

std::string where(const Json& arguments) {
  return "branch " + arguments.value("branch", "") + " of session " +
         arguments.value("session", "");
}

}  // namespace

std::string session_text(const Json& session) {
  std::string text = "session " + session.value("id", "");
  if (std::string name = session.value("name", ""); !name.empty()) text += " (" + name + ")";
  text += ": " + session.value("backend", "") + " over " + session.value("root", "");
  std::string branches;
  for (const Json& branch : session.value("branches", Json::array())) {
    branches +=
        (branches.empty() ? "" : ", ") + branch.value("id", "") + " on " + branch.value("node", "");
    if (!branch.value("alive", true)) branches += " (lost)";
  }
  text += ", branches: " + (branches.empty() ? "none" : branches);
  const std::string problem = session.value("problem", "");
  return problem.empty() ? text : text + "; problem: " + problem;
}

std::string sessions_text(const Json& answer) {
  std::string text;
  for (const Json& session : answer.at("sessions")) text += session_text(session) + "\n";
  return text.empty() ? "there are no sessions; session_create makes one\n" : text;
}

std::string exec_text(const Json& seen) {
  std::string text;
  if (std::string background = seen.value("background", ""); !background.empty())
    text += "[printed by background jobs before this command]\n" + ended_line(background) +
            "[this command]\n";
  text += ended_line(seen.value("output", ""));
  std::string took = duration_text(seen.value("duration_us", std::int64_t{0}));
  if (seen.value("timed_out", false)) {
    text += "[timed out and was interrupted after " + took +
            "; the shell is ready for the next command]\n";
  } else {
    text += "[exit code " + std::to_string(seen.at("exit_code").get<int>()) + ", " + took + "]\n";
  }
  if (seen.value("truncated", false))
    text += "[the middle was left out: the command printed " +
            std::to_string(seen.value("output_bytes", std::uint64_t{0})) +
            " bytes; ask for more with max_output, or write it to a file]\n";
  if (seen.contains("output_base64"))
    text += "[the output was not UTF-8; output_base64 has its bytes]\n";
  if (seen.value("shell_restarted", false))
    text += "[the command ended its shell; a new one was started]\n";
  if (seen.value("left_background", false)) text += "[the command left processes running]\n";
  return text;
}

std::string run_text(const Json& seen) {
  std::string text = ended_line(seen.value("stdout", ""));
  if (std::string errors = seen.value("stderr", ""); !errors.empty())
    text += "[standard error]\n" + ended_line(errors);
  const std::string took = duration_text(seen.value("duration_us", std::int64_t{0}));
  if (seen.value("timed_out", false)) {
    text += "[timed out and was killed after " + took + "]\n";
  } else {
    text += "[exit code " + std::to_string(seen.at("exit_code").get<int>()) + ", " + took + "]\n";
  }
  if (seen.value("truncated", false))
    text += "[the middle was left out: ask for more with max_output, or write it to a file]\n";
  for (const char* stream : {"stdout", "stderr"}) {
    if (const std::string bytes = std::string(stream) + "_base64"; seen.contains(bytes))
      text += "[" + std::string(stream) + " was not UTF-8; " + bytes + " has its bytes]\n";
  }
  return text;
}

std::string snapshot_text(const Json& arguments, const Json& report) {
  std::string text = "node " + report.at("node").get<std::string>();
  if (arguments.contains("name")) text += " (" + arguments.value("name", "") + ")";
  text += " holds " + where(arguments) + ": " + report.value("kind", "");
  if (report.value("kind", "") == "physical")
    text += ", " + size_text(report.value("bytes", std::uint64_t{0}));
  text += ", " + took_text(report) + "\n";
  if (report.contains("fallback") && report["fallback"].is_object())
    text += "[saved as a virtual node: " + report["fallback"].value("detail", "") + "]\n";
  return text;
}

// The divergences of a replay, and why a state could not be compared.
std::string doubts_text(const Json& report) {
  std::string text;
  for (const Json& one : report.value("accepted", Json::array()))
    text += "[diverged: " +
            shortened(one.value("state", "").empty() ? one.value("command", "")
                                                     : one.value("state", "")) +
            "]\n";
  if (const std::string why = report.value("unproven", ""); !why.empty())
    text += "[not proven to be the node's state: " + why + "]\n";
  return text;
}

std::string restore_text(const Json& arguments, const Json& report) {
  std::string text = where(arguments) + " is back at node " + report.at("node").get<std::string>() +
                     ", " + took_text(report) + "\n";
  if (auto replayed = report.value("replayed", std::uint64_t{0}); replayed > 0)
    text += "[" + std::to_string(replayed) + " commands were replayed]\n";
  return text + doubts_text(report);
}

std::string fork_text(const Json& arguments, const Json& report) {
  std::string names;
  std::string errors;
  for (const Json& one : report.at("branches")) {
    if (one.contains("branch")) {
      names += (names.empty() ? "" : ", ") + one.value("branch", "");
      errors += doubts_text(one);
    } else {
      const Json& error = one.at("error");
      errors += "[one could not be made: " + error.value("detail", "");
      if (std::string hint = error.value("hint", ""); !hint.empty()) errors += " (" + hint + ")";
      errors += "]\n";
    }
  }
  if (names.empty()) return errors;
  return "branches of session " + arguments.value("session", "") + " at node " +
         report.value("node", "") + ": " + names + "\n" + errors + doubts_text(report);
}

std::string tree_text(const Json& tree) { return draw_tree(tree); }

std::string diff_text(const Json& diff) {
  const Json& differences = diff.at("differences");
  if (differences.empty()) return "no differences\n" + doubts_text(diff);
  std::string text;
  for (const Json& one : differences) {
    text += one.value("subject", "") + " " + one.value("kind", "") + ": " + one.value("name", "");
    std::string before = one.value("before", "");
    std::string after = one.value("after", "");
    if (!before.empty() && !after.empty()) {
      text += "  (" + before + " -> " + after + ")";
    } else if (!before.empty() || !after.empty()) {
      text += "  (" + before + after + ")";
    }
    text += "\n" + ended_line(one.value("patch", ""));
  }
  if (diff.value("truncated", false)) text += "[there are more differences]\n";
  return text + doubts_text(diff);
}

std::string removed_text(const Json& report) {
  std::string nodes = joined(report.value("nodes", Json::array()));
  std::string branches = joined(report.value("branches", Json::array()));
  return "removed nodes: " + (nodes.empty() ? "none" : nodes) +
         "; branches: " + (branches.empty() ? "none" : branches) + "; " +
         size_text(report.value("bytes", std::uint64_t{0})) + " freed\n";
}

std::string file_text(const Json& file) {
  std::string size = std::to_string(file.at("bytes").get<std::uint64_t>());
  if (file.value("encoding", "") != "utf-8")
    return "[" + size + " bytes that are not UTF-8; the structured content has them in base64]";
  std::string text = file.value("content", "");
  if (file.value("truncated", false)) {
    auto next =
        file.at("offset").get<std::uint64_t>() + file.at("returned_bytes").get<std::uint64_t>();
    text = ended_line(text) + "[the file has " + size +
           " bytes; continue with offset=" + std::to_string(next) + "]\n";
  }
  return text;
}

Json short_tree(const Json& tree) {
  Json nodes = Json::array();
  for (const Json& node : tree.at("nodes")) {
    Json shown = {{"commands", commands_of(node.at("log"))}};
    for (const char* key :
         {"id", "name", "parent", "kind", "unchanged", "created_at", "bytes", "notes"})
      shown[key] = node.at(key);
    nodes.push_back(std::move(shown));
  }
  Json branches = Json::array();
  for (const Json& branch : tree.at("branches")) {
    Json shown = {{"pending", commands_of(branch.at("pending"))}};
    for (const char* key : {"id", "node", "alive"}) shown[key] = branch.at(key);
    branches.push_back(std::move(shown));
  }
  return {{"nodes", std::move(nodes)}, {"branches", std::move(branches)}};
}

}  // namespace sf::cli::mcp
