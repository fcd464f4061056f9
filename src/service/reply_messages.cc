// Replies: from the control plane's structs to JSON.
#include <array>
#include <cinttypes>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/request_limits.h"
#include "base/split.h"
#include "service/json_messages.h"
#include "service/wall_time.h"
#include "wire/base64.h"
#include "wire/problem.h"

namespace sf::service {

using control::Branch;
using control::BranchTree;
using control::LogEntry;
using control::Node;

namespace {

// As text, because not every JSON reader supports 64-bit numbers.
std::string to_hex(std::uint64_t number) {
  std::array<char, 17> text{};
  std::snprintf(text.data(), text.size(), "%016" PRIx64, number);
  return text.data();
}

Json entry_to_json(const LogEntry& entry) {
  using control::EntryKind;
  std::string_view kind = entry.kind == EntryKind::kCommand     ? "command"
                          : entry.kind == EntryKind::kWriteFile ? "write_file"
                          : entry.kind == EntryKind::kResize    ? "resize"
                          : entry.kind == EntryKind::kSide      ? "side"
                          : entry.kind == EntryKind::kUnproven  ? "unproven"
                                                                : "keys";
  return {{"kind", kind},
          {"text", control::bounded_excerpt(entry.text, kMaxShownCommand)},
          {"exit_code", entry.exit_code},
          {"output_hash", to_hex(entry.output_hash)},
          {"output_bytes", entry.output_bytes},
          {"duration_us", entry.duration.count()},
          {"timed_out", entry.timed_out},
          {"shell_restarted", entry.shell_restarted},
          {"left_background", entry.left_background},
          {"diverged_before", entry.diverged_before},
          {"outcome_unknown", entry.outcome_unknown}};
}

Json log_to_json(const control::CommandLog& log) {
  Json entries = Json::array();
  for (const LogEntry& entry : log) entries.push_back(entry_to_json(entry));
  return entries;
}

}  // namespace

Json to_json(const Node& node) {
  Json json = {{"id", node.id.value()},
               {"name", node.name},
               {"parent", nullptr},
               {"origin", node.origin.value()},
               {"kind", node.is_physical() ? "physical" : "virtual"},
               {"unchanged", node.unchanged},
               {"created_at", to_iso_text(node.created)},
               {"notes", node.notes},
               {"log", log_to_json(node.log)},
               {"bytes", 0},
               {"memory_bytes", 0},
               {"took_us", 0},
               {"stopped_us", 0}};
  if (!node.is_root()) json["parent"] = node.parent.value();
  if (node.physical) {
    json["bytes"] = node.physical->bytes;
    json["memory_bytes"] = node.physical->memory_bytes;
    json["took_us"] = node.physical->took.count();
    json["stopped_us"] = node.physical->stopped.count();
  }
  return json;
}

namespace {

Json branch_to_json(const Branch& branch) {
  return {{"id", branch.id.value()},
          {"node", branch.node.value()},
          {"alive", branch.alive},
          {"created_at", to_iso_text(branch.created)},
          {"pending", log_to_json(branch.pending)}};
}

Json record_to_json(const control::SessionRecord& record) {
  const control::StartConfig& config = record.config;
  return {{"id", record.id.value()},
          {"name", record.name},
          {"backend", record.backend},
          {"policy", record.policy},
          {"created_at", to_iso_text(record.created)},
          {"labels", record.labels},
          {"root", config.root},
          {"user", config.user},
          {"cwd", config.cwd},
          {"network", config.network},
          {"env", config.env},
          {"memory_bytes", config.memory_bytes},
          {"pids", config.max_pids},
          {"cpus", config.cpu_percent / 100.0},
          {"ttl_s", record.terms.ttl.count()},
          {"idle_s", record.terms.idle.count()},
          {"max_bytes", record.terms.max_bytes},
          {"max_branches", record.terms.max_branches}};
}

template <typename Ids>
Json ids_to_json(const Ids& ids) {
  Json json = Json::array();
  for (const auto& id : ids) json.push_back(id.value());
  return json;
}

std::string_view to_word(control::DiffKind kind) {
  if (kind == control::DiffKind::kAdded) return "added";
  return kind == control::DiffKind::kRemoved ? "removed" : "changed";
}

std::string_view to_word(control::DiffSubject subject) {
  using control::DiffSubject;
  switch (subject) {
    case DiffSubject::kFile:
      return "file";
    case DiffSubject::kProcess:
      return "process";
    case DiffSubject::kPort:
      return "port";
    case DiffSubject::kEnvironment:
      return "environment";
    case DiffSubject::kWorkingDirectory:
      return "cwd";
  }
  return "other";
}

Json divergence_to_json(const control::Divergence& divergence) {
  auto outcome = [](const control::ReplayOutcome& seen) -> Json {
    return {{"exit_code", seen.exit_code}, {"timed_out", seen.timed_out}, {"output", seen.output}};
  };
  return {{"node", divergence.node.value()},
          {"index", divergence.index},
          {"command", divergence.command},
          {"state", divergence.state},
          {"expected", outcome(divergence.expected)},
          {"observed", outcome(divergence.observed)}};
}

Json divergences_to_json(const std::vector<control::Divergence>& divergences) {
  Json all = Json::array();
  for (const control::Divergence& one : divergences) all.push_back(divergence_to_json(one));
  return all;
}

}  // namespace

Json session_to_json(const control::SessionManager& session, const std::string& problem) {
  control::SessionStats stats = session.stats();
  Json json = session.read([](const BranchTree& tree) {
    Json record = record_to_json(tree.session());
    Json branches = Json::array();
    for (const auto& [id, branch] : tree.branches())
      branches.push_back(
          {{"id", id.value()}, {"node", branch.node.value()}, {"alive", branch.alive}});
    record["branches"] = std::move(branches);
    return record;
  });
  json["nodes"] = stats.nodes;
  json["live_branches"] = stats.live_branches;
  json["physical_bytes"] = stats.physical_bytes;
  json["problem"] = problem;
  return json;
}

Json session_to_json(const control::SessionRecord& record, const std::string& problem) {
  Json json = record_to_json(record);
  json["branches"] = Json::array();
  json["nodes"] = 0;
  json["live_branches"] = 0;
  json["physical_bytes"] = 0;
  json["problem"] = problem;
  return json;
}

Json tree_to_json(const control::SessionManager& session) {
  control::SessionImage image = session.read([](const BranchTree& tree) { return tree.image(); });
  Json nodes = Json::array();
  for (const Node& node : image.nodes) nodes.push_back(to_json(node));
  Json branches = Json::array();
  for (const Branch& branch : image.branches) branches.push_back(branch_to_json(branch));
  return {{"session", record_to_json(image.session)},
          {"nodes", std::move(nodes)},
          {"branches", std::move(branches)}};
}

Json to_json(const control::SessionStats& stats) {
  return {{"commands", stats.commands},
          {"physical_snapshots", stats.physical_snapshots},
          {"virtual_snapshots", stats.virtual_snapshots},
          {"unchanged_snapshots", stats.unchanged_snapshots},
          {"fallbacks", stats.fallbacks},
          {"promotions", stats.promotions},
          {"restores", stats.restores},
          {"forked_branches", stats.forked_branches},
          {"replayed_commands", stats.replayed_commands},
          {"divergences", stats.divergences},
          {"removed_nodes", stats.removed_nodes},
          {"command_us", stats.command_time.count()},
          {"checkpoint_us", stats.checkpoint_time.count()},
          {"stopped_us", stats.stopped_time.count()},
          {"replay_us", stats.replay_time.count()},
          {"nodes", stats.nodes},
          {"physical_refs", stats.physical_refs},
          {"ready_refs", stats.ready_refs},
          {"physical_bytes", stats.physical_bytes},
          {"live_branches", stats.live_branches}};
}

Json to_json(const backends::BackendDescription& backend) {
  return {{"name", backend.name},
          {"summary", backend.summary},
          {"preserves", split(control::to_words(backend.preserves), ',')},
          {"usable", backend.usable},
          {"why_not", backend.why_not}};
}

Json to_json(const Housekeeping& done) {
  Json ended = Json::array();
  for (const EndedSession& one : done.ended)
    ended.push_back({{"id", one.id}, {"name", one.name}, {"why", to_string(one.why)}});
  return {
      {"ended", std::move(ended)}, {"leftovers", done.leftovers}, {"operations", done.operations}};
}

Json to_json(const ScreenText& screen) {
  return {{"rows", screen.rows},
          {"scrollback", screen.scrollback},
          {"cursor_row", screen.cursor_row},
          {"cursor_col", screen.cursor_col},
          {"cursor_visible", screen.cursor_visible},
          {"alternate_screen", screen.alternate_screen},
          {"title", screen.title}};
}

Json to_json(const TerminalPiece& piece) {
  Json json = {{"raw_base64", wire::to_base64(piece.bytes)},
               {"repaint", piece.repaints.has_value()}};
  if (piece.repaints) json.update({{"rows", piece.repaints->rows}, {"cols", piece.repaints->cols}});
  if (piece.is_restored) json["restored"] = true;
  return json;
}

Json to_json(const Observation& seen) {
  Json json = {{"exit_code", seen.exit_code},
               {"output", seen.output},
               {"background", seen.background},
               {"output_bytes", seen.output_bytes},
               {"duration_us", seen.duration.count()},
               {"timed_out", seen.timed_out},
               {"truncated", seen.truncated},
               {"shell_restarted", seen.shell_restarted},
               {"left_background", seen.left_background}};
  if (!wire::is_utf8(seen.output)) json["output_base64"] = wire::to_base64(seen.output);
  if (!seen.raw.empty()) json["raw_base64"] = wire::to_base64(seen.raw);
  return json;
}

Json to_json(const SideObservation& seen) {
  Json json = {{"exit_code", seen.exit_code},   {"stdout", seen.standard_output},
               {"stderr", seen.standard_error}, {"duration_us", seen.duration.count()},
               {"timed_out", seen.timed_out},   {"truncated", seen.truncated}};
  for (const auto& [key, text] : {std::pair("stdout_base64", &seen.standard_output),
                                  std::pair("stderr_base64", &seen.standard_error)}) {
    if (!wire::is_utf8(*text)) json[key] = wire::to_base64(*text);
  }
  return json;
}

Json to_json(const control::SnapshotReport& report) {
  Json json = {{"node", report.node.value()},
               {"kind", control::to_string(report.kind)},
               {"unchanged", report.unchanged},
               {"why", report.why},
               {"fallback", nullptr},
               {"bytes", report.physical ? report.physical->bytes : 0},
               {"memory_bytes", report.physical ? report.physical->memory_bytes : 0},
               {"stopped_us", report.physical ? report.physical->stopped.count() : 0},
               {"took_us", report.took.count()}};
  if (report.fallback) json["fallback"] = wire::problem_from_error(*report.fallback);
  return json;
}

Json to_json(const control::RestoreReport& report) {
  return {{"node", report.node.value()},
          {"replayed", report.replayed},
          {"accepted", divergences_to_json(report.accepted)},
          {"promoted", report.promoted},
          {"unproven", report.unproven},
          {"took_us", report.took.count()}};
}

Json to_json(const control::ForkReport& report) {
  Json branches = Json::array();
  for (std::size_t i = 0; i < report.branches.size(); ++i) {
    const Result<control::BranchId>& branch = report.branches[i];
    branches.push_back(branch ? Json{{"branch", branch->value()},
                                     {"accepted", divergences_to_json(report.accepted.at(i))}}
                              : Json{{"error", wire::problem_from_error(branch.error())}});
  }
  return {{"node", report.node.value()},
          {"branches", std::move(branches)},
          {"unproven", report.unproven},
          {"took_us", report.took.count()}};
}

Json to_json(const control::CleanupReport& report) {
  return {{"nodes", ids_to_json(report.nodes)},
          {"branches", ids_to_json(report.branches)},
          {"physical_refs", report.physical_refs},
          {"bytes", report.bytes},
          {"leftovers", report.leftovers}};
}

Json to_json(const control::StateDiff& diff) {
  Json differences = Json::array();
  for (const control::StateDifference& one : diff.differences) {
    differences.push_back({{"subject", to_word(one.subject)},
                           {"kind", to_word(one.kind)},
                           {"name", one.name},
                           {"before", one.before},
                           {"after", one.after},
                           {"patch", one.patch}});
  }
  return {{"differences", std::move(differences)},
          {"truncated", diff.truncated},
          {"unproven", diff.unproven}};
}

}  // namespace sf::service
