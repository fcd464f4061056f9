// Formats the results as JSON and as Markdown.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "statistics.h"
#include "substrates/results.h"
#include "table.h"

namespace sf::bench {
namespace {

using Json = nlohmann::ordered_json;

std::string spread(const std::vector<double>& values) {
  if (values.empty()) return "-";
  return fmt::format("{:.0f} ({:.0f}, {:.0f})", median(values), minimum(values),
                     percentile_90(values));
}

std::string mebibytes(double bytes) { return fmt::format("{:.1f}", bytes / (1 << 20)); }

// One row per backend, one column per size.
Table by_size(const Results& results, State state, const std::string& title,
              const std::function<std::string(const Point&)>& cell) {
  Table table{.title = title, .columns = {"backend"}};
  std::set<int> sizes;
  std::vector<std::string> backends;
  for (const Point& point : results.points) {
    if (point.state != state) continue;
    sizes.insert(point.megabytes);
    if (std::ranges::find(backends, point.backend) == backends.end())
      backends.push_back(point.backend);
  }
  for (int size : sizes) table.columns.push_back(std::to_string(size) + " MB");
  for (const std::string& backend : backends) {
    std::vector<std::string> row = {backend};
    for (int size : sizes) {
      auto found = std::ranges::find_if(results.points, [&](const Point& point) {
        return point.state == state && point.backend == backend && point.megabytes == size;
      });
      bool failed = found == results.points.end() || found->snapshot_ms.empty();
      row.push_back(failed ? "failed" : cell(*found));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::string of_states(const Results& results, State state) {
  const std::string what = state == State::kMemory ? "memory" : "files";
  std::string text;
  text += render(by_size(results, state, "Snapshot by " + what + ", ms: median (min, p90)",
                         [](const Point& point) { return spread(point.snapshot_ms); }),
                 Layout::kMarkdown);
  text += render(by_size(results, state, "Restore by " + what + ", ms: median (min, p90)",
                         [](const Point& point) { return spread(point.restore_ms); }),
                 Layout::kMarkdown);
  text += render(by_size(results, state, "Restore of the base, ms: median (min, p90)",
                         [](const Point& point) { return spread(point.to_base_ms); }),
                 Layout::kMarkdown);
  text += render(
      by_size(results, state, "Kept for one snapshot by " + what + ", MB",
              [](const Point& point) { return mebibytes(static_cast<double>(point.bytes_kept)); }),
      Layout::kMarkdown);
  return text;
}

using Numbered = std::map<int, std::vector<double>>;

template <typename Row>
std::string by_number(const std::vector<Row>& rows, const std::string& title,
                      const std::function<const Numbered&(const Row&)>& values,
                      const std::function<std::string(const std::vector<double>&)>& shown) {
  Table table{.title = title, .columns = {"backend"}};
  std::set<int> numbers;
  for (const Row& row : rows) {
    for (const auto& [number, value] : values(row)) numbers.insert(number);
  }
  for (int number : numbers) table.columns.push_back(std::to_string(number));
  for (const Row& row : rows) {
    std::vector<std::string> cells = {row.backend};
    for (int number : numbers) {
      auto found = values(row).find(number);
      cells.push_back(found == values(row).end() ? "-" : shown(found->second));
    }
    table.rows.push_back(std::move(cells));
    if (!row.failure.empty()) table.remarks.push_back(row.backend + ": " + row.failure);
  }
  return render(table, Layout::kMarkdown);
}

std::string of_taxes(const Results& results) {
  Table table{.title = "Commands inside, ms: median (min, p90)", .columns = {"backend"}};
  std::set<std::string> work;
  for (const Tax& tax : results.taxes) {
    for (const auto& [name, values] : tax.ms) work.insert(name);
  }
  table.columns.insert(table.columns.end(), work.begin(), work.end());
  for (const Tax& tax : results.taxes) {
    std::vector<std::string> row = {tax.backend};
    for (const std::string& name : work) {
      auto found = tax.ms.find(name);
      row.push_back(found == tax.ms.end() ? "failed" : spread(found->second));
    }
    table.rows.push_back(std::move(row));
    if (!tax.failure.empty()) table.remarks.push_back(tax.backend + ": " + tax.failure);
  }
  return render(table, Layout::kMarkdown);
}

}  // namespace

std::string to_markdown(const Results& results) {
  std::string text;
  for (const std::string& fact : results.facts) text += "- " + fact + "\n";
  text += "\n" + of_states(results, State::kMemory) + of_states(results, State::kFiles);
  text += of_taxes(results);
  auto memory = [](const std::vector<double>& bytes) { return mebibytes(median(bytes)); };
  text += by_number<Depth>(
      results.depths, "Snapshot in a chain by the node's number, ms: median (min, p90)",
      [](const Depth& depth) -> const Numbered& { return depth.snapshot_ms; }, spread);
  text += by_number<Width>(
      results.widths, "Live forks of one node, ms for all of them: median (min, p90)",
      [](const Width& width) -> const Numbered& { return width.all_ms; }, spread);
  text += by_number<Width>(
      results.widths, "Memory of the host for each of these forks, MB",
      [](const Width& width) -> const Numbered& { return width.memory_bytes; }, memory);
  for (const Point& point : results.points) {
    if (!point.failure.empty())
      text += fmt::format("- {}, {} MB of {}: {}\n", point.backend, point.megabytes,
                          point.state == State::kMemory ? "memory" : "files", point.failure);
  }
  return text;
}

std::string to_json_text(const Results& results) {
  Json json = {{"version", 2}, {"facts", results.facts}, {"points", Json::array()}};
  for (const Point& point : results.points)
    json["points"].push_back({{"backend", point.backend},
                              {"state", point.state == State::kMemory ? "memory" : "files"},
                              {"megabytes", point.megabytes},
                              {"snapshot_ms", point.snapshot_ms},
                              {"to_base_ms", point.to_base_ms},
                              {"restore_ms", point.restore_ms},
                              {"bytes_kept", point.bytes_kept},
                              {"failure", point.failure}});
  auto numbered = [](const Numbered& values) {
    Json object = Json::object();
    for (const auto& [number, value] : values) object[std::to_string(number)] = value;
    return object;
  };
  for (const Tax& tax : results.taxes)
    json["commands"].push_back({{"backend", tax.backend}, {"ms", tax.ms}});
  for (const Depth& depth : results.depths)
    json["depth"].push_back({{"backend", depth.backend},
                             {"snapshot_ms", numbered(depth.snapshot_ms)},
                             {"failure", depth.failure}});
  for (const Width& width : results.widths)
    json["width"].push_back({{"backend", width.backend},
                             {"all_ms", numbered(width.all_ms)},
                             {"memory_bytes", numbered(width.memory_bytes)},
                             {"failure", width.failure}});
  return json.dump(1) + "\n";
}

}  // namespace sf::bench
