#include "store/operation_summary.h"

namespace sf::store {

using namespace control;  // NOLINT: this file is about nothing else

namespace {

std::string kind_of(const std::optional<PhysicalState>& physical) {
  return physical ? "physical" : "virtual";
}

// The outcome of a finished entry, for the end of its text.
std::string outcome_of(const LogEntry& entry) {
  if (entry.outcome_unknown || entry.kind != EntryKind::kCommand) return "";
  if (entry.timed_out) return ", timed out";
  return entry.exit_code == 0 ? "" : ", exit code " + std::to_string(entry.exit_code);
}

class Summary {
 public:
  OperationSummary result() && { return std::move(summary_); }

  void operator()(const edit::PutSession& e) { say(e.session.name); }
  void operator()(const edit::EndSession& /*e*/) {}
  void operator()(const edit::AddNode& e) {
    about(e.node.origin);
    about(e.node.id);
    if (e.node.physical) summary_.bytes += e.node.physical->bytes;
    say(kind_of(e.node.physical));
    if (e.node.unchanged) say("unchanged");
    say(e.node.name);
  }
  void operator()(const edit::RemoveNodes& e) {
    if (e.nodes.empty()) return;
    about(e.nodes.back());
    say(std::to_string(e.nodes.size()) + (e.nodes.size() == 1 ? " node" : " nodes"));
  }
  void operator()(const edit::NameNode& e) {
    about(e.node);
    say(e.name.empty() ? "no name" : e.name);
  }
  void operator()(const edit::SetNote& e) {
    about(e.node);
    say(e.value ? e.key : e.key + " removed");
  }
  void operator()(const edit::SetPhysical& e) {
    about(e.node);
    if (e.physical) summary_.bytes += e.physical->bytes;
    say(kind_of(e.physical));
  }
  void operator()(const edit::MarkDiverged& e) {
    about(e.node);
    say("entry " + std::to_string(e.index) + " diverged");
  }
  void operator()(const edit::AddBranch& e) {
    about(e.branch.id);
    about(e.branch.node);
    say(e.branch.id.value());
  }
  void operator()(const edit::RemoveBranch& e) {
    about(e.branch);
    say("end of " + e.branch.value());
  }
  void operator()(const edit::MoveBranch& e) {
    about(e.branch);
    about(e.node);
  }
  void operator()(const edit::LoseBranch& e) {
    about(e.branch);
    say(e.branch.value() + " was lost");
  }
  void operator()(const edit::BeginEntry& e) {
    about(e.branch);
    say(describe(e.entry));
  }
  void operator()(const edit::FinishEntry& e) {
    about(e.branch);
    say(describe(e.entry) + outcome_of(e.entry));
  }
  void operator()(const edit::CancelEntry& e) { about(e.branch); }
  void operator()(const edit::CostMeasured& /*e*/) {}
  void operator()(const edit::CommandDiverged& /*e*/) { say("a command diverged"); }

 private:
  void about(const BranchId& branch) {
    if (summary_.branch.empty()) summary_.branch = branch;
  }
  void about(const NodeId& node) {
    if (summary_.node.empty()) summary_.node = node;
  }
  void say(const std::string& text) {
    std::string& detail = summary_.detail;
    if (text.empty() || detail.size() == kMaxDetail) return;
    detail += detail.empty() ? text : ", " + text;
    if (detail.size() > kMaxDetail) detail = detail.substr(0, kMaxDetail - 3) + "...";
  }

  OperationSummary summary_;
};

}  // namespace

OperationSummary summarize(const Change& change) {
  Summary summary;
  for (const Edit& edit : change.edits) std::visit(summary, edit);
  return std::move(summary).result();
}

}  // namespace sf::store
