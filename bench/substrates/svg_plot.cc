// The paper's figure: latency by size of the state, on a logarithmic scale.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "statistics.h"
#include "substrates/results.h"

namespace sf::bench {
namespace {

constexpr double kPanelWidth = 330;
constexpr double kPanelHeight = 230;
constexpr double kLeft = 52;
constexpr double kTop = 34;
constexpr double kBottom = 38;
constexpr double kRight = 20;
constexpr double kLegend = 46;
constexpr double kLowest = 2;       // ms
constexpr double kHighest = 40000;  // ms

// Dash patterns keep the lines distinguishable without colors.
struct Style {
  const char* color;
  const char* dash;
};
constexpr std::array<Style, 9> kStyles = {{{"#d62728", ""},
                                           {"#1f77b4", "6 3"},
                                           {"#2ca02c", "2 2"},
                                           {"#9467bd", "8 3 2 3"},
                                           {"#8c564b", "4 2"},
                                           {"#ff7f0e", "1 3"},
                                           {"#17becf", "10 4"},
                                           {"#7f7f7f", "3 6"},
                                           {"#bcbd22", "12 2"}}};

struct Panel {
  std::string title;
  State state;
  bool restore;
};

double x_of(int megabytes, int most) {
  return kLeft + (kPanelWidth - kLeft - kRight) * megabytes / std::max(most, 1);
}

double y_of(double ms) {
  const double share =
      std::log(std::clamp(ms, kLowest, kHighest) / kLowest) / std::log(kHighest / kLowest);
  return kPanelHeight - kBottom - (kPanelHeight - kTop - kBottom) * share;
}

std::string text_at(double x, double y, const std::string& text, const std::string& more = "") {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" {}>{}</text>\n", x, y, more, text);
}

std::string axes(const Panel& panel, int most, const std::vector<int>& sizes) {
  std::string out =
      text_at(kPanelWidth / 2, 18, panel.title, "text-anchor=\"middle\" font-weight=\"bold\"");
  for (double ms : {10.0, 100.0, 1000.0, 10000.0}) {
    out += fmt::format("<line x1=\"{}\" x2=\"{}\" y1=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"#ddd\"/>\n",
                       kLeft, kPanelWidth - kRight, y_of(ms), y_of(ms));
    out += text_at(kLeft - 6, y_of(ms) + 4,
                   ms < 1000 ? fmt::format("{:.0f} ms", ms) : fmt::format("{:.0f} s", ms / 1000),
                   "text-anchor=\"end\"");
  }
  for (int size : sizes)
    out += text_at(x_of(size, most), kPanelHeight - kBottom + 16, std::to_string(size),
                   "text-anchor=\"middle\"");
  out += text_at(kPanelWidth / 2, kPanelHeight - 6,
                 panel.state == State::kMemory ? "MB of memory" : "MB of files",
                 "text-anchor=\"middle\"");
  return out;
}

std::string draw(const Panel& panel, const Results& results,
                 const std::vector<std::string>& backends) {
  std::vector<int> sizes;
  std::map<std::string, std::vector<std::pair<int, double>>> lines;
  for (const Point& point : results.points) {
    const std::vector<double>& values = panel.restore ? point.restore_ms : point.snapshot_ms;
    if (point.state != panel.state || values.empty()) continue;
    if (std::ranges::find(sizes, point.megabytes) == sizes.end()) sizes.push_back(point.megabytes);
    lines[point.backend].emplace_back(point.megabytes, median(values));
  }
  const int most = sizes.empty() ? 1 : *std::ranges::max_element(sizes);
  std::string out = axes(panel, most, sizes);
  for (const auto& [backend, line] : lines) {
    auto number = static_cast<std::size_t>(std::ranges::find(backends, backend) - backends.begin());
    const Style& style = kStyles[number % kStyles.size()];
    std::string path;
    for (const auto& [size, ms] : line) {
      path += fmt::format("{:.1f},{:.1f} ", x_of(size, most), y_of(ms));
      out += fmt::format(
          "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2.5\" fill=\"{}\"><title>{}, {} "
          "MB: {:.0f} ms</title></circle>\n",
          x_of(size, most), y_of(ms), style.color, backend, size, ms);
    }
    out += fmt::format(
        "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{}\" "
        "stroke-dasharray=\"{}\"/>\n",
        path, style.color, backend == "waypoint" ? 2.6 : 1.6, style.dash);
  }
  return out;
}

}  // namespace

std::string to_svg(const Results& results) {
  const std::array<Panel, 4> panels = {{{"Snapshot", State::kMemory, false},
                                        {"Snapshot", State::kFiles, false},
                                        {"Restore", State::kMemory, true},
                                        {"Restore", State::kFiles, true}}};
  std::vector<std::string> backends;
  for (const Point& point : results.points) {
    if (std::ranges::find(backends, point.backend) == backends.end())
      backends.push_back(point.backend);
  }
  const double width = 2 * kPanelWidth;
  const double height = 2 * kPanelHeight + kLegend;
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
      "height=\"{1}\" font-family=\"sans-serif\" font-size=\"11\">\n"
      "<rect width=\"{0}\" height=\"{1}\" fill=\"white\"/>\n",
      width, height);
  for (std::size_t i = 0; i < panels.size(); ++i) {
    out += fmt::format("<g transform=\"translate({},{})\">\n",
                       static_cast<double>(i % 2) * kPanelWidth,
                       static_cast<double>(i / 2) * kPanelHeight);
    out += draw(panels[i], results, backends) + "</g>\n";
  }
  const double step = width / 5;
  for (std::size_t i = 0; i < backends.size(); ++i) {
    const Style& style = kStyles[i % kStyles.size()];
    const double x = 14 + step * static_cast<double>(i % 5);
    const double y = 2 * kPanelHeight + 14 + 18 * static_cast<double>(i / 5);
    out += fmt::format(
        "<line x1=\"{0}\" x2=\"{1}\" y1=\"{2}\" y2=\"{2}\" stroke=\"{3}\" "
        "stroke-width=\"2\" stroke-dasharray=\"{4}\"/>\n",
        x, x + 26, y, style.color, style.dash);
    out += text_at(x + 32, y + 4, backends[i]);
  }
  return out + "</svg>\n";
}

}  // namespace sf::bench
