#include "report.h"

#include <cstdio>
#include <nlohmann/json.hpp>

#include "statistics.h"

namespace sf::bench {
namespace {

// The limits set by the project's second issue.
constexpr double kMostOverBare = 1.5;
constexpr double kMostOverShellMs = 1.0;
// Limit for "file size must not matter", with room for noise.
constexpr double kMostOverNoFiles = 1.25;

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, value < 10 ? "%.2f" : "%.1f", value);
  return text;
}

std::string spread(const std::vector<double>& values) {
  if (values.empty()) return "-";
  return number(median(values)) + " (" + number(minimum(values)) + ", " +
         number(percentile_90(values)) + ")";
}

std::string number_or_dash(double value) { return value > 0 ? number(value) : "-"; }

std::string verdict(double value, double limit) { return value <= limit ? "PASS" : "MISS"; }

std::string ratio(double ours, double theirs) {
  return theirs > 0 ? number(ours / theirs) : std::string("-");
}

std::string judged_ratio(double ours, double theirs, double limit) {
  if (ours <= 0 || theirs <= 0) return "-";
  return verdict(ours / theirs, limit) + " " + number(ours / theirs);
}

double minimum_of(const TreeSamples& tree, Quantity quantity) {
  return minimum(tree.samples.milliseconds_of(quantity));
}

double median_of(const TreeSamples& tree, Quantity quantity) {
  return median(tree.samples.milliseconds_of(quantity));
}

std::string spread_of(const TreeSamples& tree, Quantity quantity) {
  return spread(tree.samples.milliseconds_of(quantity));
}

Table snapshot_table(const std::vector<TreeSamples>& trees) {
  Table table{.title = "Snapshot, ms: median (min, p90)",
              .columns = {"tree", "n", "snapshot", "stopped", "bare dump", "bare dump+restore",
                          "ratio <= 1.5", "of minima", "ready CRIU dump+restore", "ratio"},
              .rows = {},
              .remarks = {}};
  for (const TreeSamples& tree : trees) {
    double ours = median_of(tree, Quantity::kSnapshot);
    double bare = median_of(tree, Quantity::kBareDump) + median_of(tree, Quantity::kBareRestore);
    double ready = median_of(tree, Quantity::kReadyDump) + median_of(tree, Quantity::kReadyRestore);
    table.rows.push_back(
        {tree.tree.name, std::to_string(tree.rounds), spread_of(tree, Quantity::kSnapshot),
         spread_of(tree, Quantity::kSnapshotStopped), spread_of(tree, Quantity::kBareDump),
         number_or_dash(bare), judged_ratio(ours, bare, kMostOverBare),
         ratio(minimum_of(tree, Quantity::kSnapshot),
               minimum_of(tree, Quantity::kBareDump) + minimum_of(tree, Quantity::kBareRestore)),
         number_or_dash(ready), ratio(ours, ready)});
  }
  return table;
}

Table restore_table(const std::vector<TreeSamples>& trees) {
  Table table{.title = "Restore and fork, ms: median (min, p90)",
              .columns = {"tree", "restore", "bare restore", "ratio <= 1.5", "of minima",
                          "ready CRIU restore", "ratio", "fork of 1", "fork of 4", "of 4, each"},
              .rows = {},
              .remarks = {}};
  for (const TreeSamples& tree : trees) {
    double ours = median_of(tree, Quantity::kRestore);
    double four = median_of(tree, Quantity::kForkFour);
    table.rows.push_back(
        {tree.tree.name, spread_of(tree, Quantity::kRestore),
         spread_of(tree, Quantity::kBareRestore),
         judged_ratio(ours, median_of(tree, Quantity::kBareRestore), kMostOverBare),
         ratio(minimum_of(tree, Quantity::kRestore), minimum_of(tree, Quantity::kBareRestore)),
         spread_of(tree, Quantity::kReadyRestore),
         ratio(ours, median_of(tree, Quantity::kReadyRestore)), spread_of(tree, Quantity::kForkOne),
         spread_of(tree, Quantity::kForkFour), number_or_dash(four / 4)});
  }
  return table;
}

Table exec_table(const std::vector<TreeSamples>& trees) {
  Table table{.title = "Round trip of `true`, ms: median (min, p90)",
              .columns = {"tree", "exec", "the shell's own", "difference <= 1 ms"},
              .rows = {},
              .remarks = {}};
  for (const TreeSamples& tree : trees) {
    if (tree.samples.milliseconds_of(Quantity::kExec).empty()) continue;
    double over = median_of(tree, Quantity::kExec) - median_of(tree, Quantity::kPlainShell);
    table.rows.push_back({tree.tree.name, spread_of(tree, Quantity::kExec),
                          spread_of(tree, Quantity::kPlainShell),
                          verdict(over, kMostOverShellMs) + " " + number(over)});
  }
  return table;
}

Table files_table(const std::vector<TreeSamples>& trees) {
  Table table{.title = "File size must not matter: an idle branch in the same rounds, ms",
              .columns = {"tree", "idle snapshot", "snapshot", "ratio <= 1.25", "idle restore",
                          "restore", "ratio <= 1.25"},
              .rows = {},
              .remarks = {}};
  for (const TreeSamples& tree : trees) {
    if (tree.tree.files == Files::kNone) continue;
    table.rows.push_back({tree.tree.name, spread_of(tree, Quantity::kIdleSnapshot),
                          spread_of(tree, Quantity::kSnapshot),
                          judged_ratio(median_of(tree, Quantity::kSnapshot),
                                       median_of(tree, Quantity::kIdleSnapshot), kMostOverNoFiles),
                          spread_of(tree, Quantity::kIdleRestore),
                          spread_of(tree, Quantity::kRestore),
                          judged_ratio(median_of(tree, Quantity::kRestore),
                                       median_of(tree, Quantity::kIdleRestore), kMostOverNoFiles)});
  }
  return table;
}

}  // namespace

std::string header_text(const Facts& facts, std::size_t rounds, Layout layout) {
  std::string bullet = layout == Layout::kMarkdown ? "- " : "  ";
  std::string text;
  if (layout == Layout::kAligned) text += "Waypoint beside bare CRIU\n";
  for (const std::string& line : {
           facts.date + ", Linux " + facts.kernel + ", " + std::to_string(facts.cpus) +
               " CPUs, load " + facts.load + ", CRIU " + facts.criu,
           "store " + facts.store + ", files kept as " + facts.file_layers + " layers",
           std::to_string(rounds) +
               " rounds per tree; in each, every operation stands next to its bare counterpart, "
               "first and second in turn",
           std::string("bare CRIU: the same live tree, dumped to the same disk and left running; "
                       "restored as a second tree over the same mounted root"),
           std::string("  CRIU runs in the tree's network, UTS and IPC namespaces, with /run a "
                       "tmpfs and its cache warm; its start is counted"),
           std::string("  called by its RPC: the command line cannot keep a terminal with a master "
                       "side outside the tree"),
           std::string("ready CRIU: the same, started beforehand, so that only its work counts; "
                       "shown for strictness, the budgets are against bare CRIU"),
           std::string("snapshot, restore, fork: wall time of the call, in this process; a "
                       "snapshot keeps the files too, bare CRIU does not"),
           std::string("the shell's own time: `true` typed into a plain bash on a terminal of this "
                       "process, until its next prompt"),
           std::string("80 ms of rest between measurements, so that keepers which start and end in "
                       "the background are out of the way"),
       })
    text += (line.starts_with("  ") && layout == Layout::kMarkdown ? "  - " + line.substr(2)
                                                                   : bullet + line) +
            "\n";
  return text + "\n";
}

std::string report_text(const std::vector<TreeSamples>& trees, Layout layout) {
  std::string text = render(snapshot_table(trees), layout) + render(restore_table(trees), layout) +
                     render(exec_table(trees), layout) + render(files_table(trees), layout);
  for (const TreeSamples& tree : trees) {
    if (tree.problem)
      text += "note: " + tree.tree.name + ": after " + std::to_string(tree.rounds) +
              " rounds: " + *tree.problem + "\n";
  }
  return text;
}

std::string samples_json(const Facts& facts, const std::vector<TreeSamples>& trees) {
  nlohmann::json json = {{"version", 1},
                         {"date", facts.date},
                         {"kernel", facts.kernel},
                         {"cpus", facts.cpus},
                         {"load", facts.load},
                         {"criu", facts.criu},
                         {"units", facts.file_layers},
                         {"store", facts.store},
                         {"trees", {}}};
  for (const TreeSamples& tree : trees) {
    nlohmann::json entry = {{"tree", tree.tree.name}, {"rounds", tree.rounds}};
    if (tree.problem) entry["problem"] = *tree.problem;
    for (std::size_t i = 0; i < kQuantities; ++i) {
      auto quantity = static_cast<Quantity>(i);
      entry["samples"][std::string(name_of(quantity))] = tree.samples.milliseconds_of(quantity);
    }
    json["trees"].push_back(std::move(entry));
  }
  return json.dump(1) + "\n";
}

}  // namespace sf::bench
