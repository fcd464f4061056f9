#include "cli_full/progress_line.h"

#include <unistd.h>

#include <algorithm>
#include <iostream>

#include "cli/render/text_layout.h"

namespace sf::cli {
namespace {

constexpr std::size_t kMaxText = 76;
constexpr auto kOnTerminal = milliseconds(100);
constexpr auto kElsewhere = seconds(2);
constexpr const char* kEraseLine = "\r\x1b[K";

}  // namespace

std::string progress_text(const roots::ProgressStep& step) {
  std::string text = one_line(step.what, kMaxText);
  if (step.total == 0) return text;
  const std::uint64_t percent = std::min(step.done, step.total) * 100 / step.total;
  return text + ": " + std::to_string(percent) + "%";
}

ProgressLine::ProgressLine() : is_terminal_(::isatty(STDERR_FILENO) == 1) {}

ProgressLine::~ProgressLine() {
  if (is_terminal_ && shown_at_) std::cerr << kEraseLine << std::flush;
}

void ProgressLine::show(const roots::ProgressStep& step) {
  const Clock::time_point now = Clock::now();
  const Clock::duration pause = is_terminal_ ? Clock::duration(kOnTerminal) : kElsewhere;
  if (shown_at_ && now - *shown_at_ < pause) return;
  std::string text = progress_text(step);
  if (text == shown_) return;
  if (is_terminal_) {
    std::cerr << kEraseLine << text << std::flush;
  } else {
    std::cerr << "statefork: " << text << '\n';
  }
  shown_ = std::move(text);
  shown_at_ = now;
}

}  // namespace sf::cli
