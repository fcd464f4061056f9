#include "waypoint/terminal/screen.h"

#include <algorithm>
#include <deque>
#include <optional>
#include <utility>

#include "waypoint/terminal/emulator.h"
#include "waypoint/terminal/screen_snapshot.h"
#include "waypoint/terminal/scrolled_away.h"

namespace sf::waypoint {
namespace {

constexpr std::string_view kMagic = "SFSCREEN";
constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kWorthDropping = 32768;
constexpr std::uint64_t kMaxSavedLine = 1ULL << 20;
constexpr std::uint64_t kMaxSavedLog =
    128ULL << 20;  // a repaint of two huge screens, each cell another colour

WindowSize clamp_size(WindowSize size) {
  return {std::clamp(size.rows, Screen::kMinSize.rows, Screen::kMaxSize.rows),
          std::clamp(size.cols, Screen::kMinSize.cols, Screen::kMaxSize.cols)};
}

template <typename Integer>
void put(std::string& out, Integer value) {
  for (std::size_t i = 0; i < sizeof(Integer); ++i)
    out += static_cast<char>((value >> (8 * i)) & 0xff);
}

// Takes little-endian numbers and byte strings off the front, as long as there are any.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

  template <typename Integer>
  std::optional<Integer> number() {
    if (rest_.size() < sizeof(Integer)) return std::nullopt;
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < sizeof(Integer); ++i) {
      value |= static_cast<std::uint64_t>(static_cast<unsigned char>(rest_[i])) << (8 * i);
    }
    rest_.remove_prefix(sizeof(Integer));
    return static_cast<Integer>(value);
  }
  std::optional<std::string_view> bytes(std::uint64_t size) {
    if (rest_.size() < size) return std::nullopt;
    const std::string_view taken = rest_.substr(0, static_cast<std::size_t>(size));
    rest_.remove_prefix(taken.size());
    return taken;
  }
  bool is_at_end() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

Error corrupt(std::string what) {
  return fail(ErrorCode::kCorrupt, "saved screen: " + std::move(what));
}

}  // namespace

class Screen::Impl {
 public:
  explicit Impl(WindowSize size) : size_(clamp_size(size)) {}

  void feed(std::string_view raw) {
    // In steps, so that the log stays small however much comes at once.
    while (!raw.empty()) {
      const std::string_view part = raw.substr(0, kMaxPending);
      log_.append(part);
      raw.remove_prefix(part.size());
      if (log_.size() - fed_ <= kMaxPending) continue;
      drop_scrolled_away();
      if (log_.size() - fed_ > kMaxPending / 2) sync();
    }
  }

  void resize(WindowSize size) {
    size = clamp_size(size);
    if (size == size_) return;
    catch_up();
    compact(size);
  }

  // The emulator, having seen the whole log.
  Emulator& current() {
    sync();
    return catch_up();
  }

  std::string repaint() {
    catch_up();
    compact(size_);
    return log_;
  }
  WindowSize size() const { return size_; }

  std::string save() {
    if (is_log_long()) drop_scrolled_away();
    if (is_log_long()) sync();
    std::string out(kMagic);
    put(out, kVersion);
    put(out, size_.rows);
    put(out, size_.cols);
    put(out, static_cast<std::uint32_t>(scrollback_.size()));
    for (const std::string& line : scrollback_) {
      put(out, static_cast<std::uint32_t>(line.size()));
      out += line;
    }
    put(out, static_cast<std::uint64_t>(repaint_size_));
    put(out, static_cast<std::uint64_t>(log_.size()));
    out += log_;
    return out;
  }

  static Result<std::unique_ptr<Impl>> load(std::string_view saved) {
    Reader reader(saved);
    if (reader.bytes(kMagic.size()) != kMagic) return corrupt("not one, the magic is missing");
    const auto version = reader.number<std::uint32_t>();
    if (!version) return corrupt("cut off in its header");
    if (*version != kVersion) return corrupt("unknown version " + std::to_string(*version));
    const auto rows = reader.number<std::uint16_t>();
    const auto cols = reader.number<std::uint16_t>();
    const auto lines = reader.number<std::uint32_t>();
    if (!rows || !cols || !lines) return corrupt("cut off in its header");
    const WindowSize size{*rows, *cols};
    if (clamp_size(size) != size) {
      return corrupt("impossible size " + std::to_string(*rows) + "x" + std::to_string(*cols));
    }
    if (*lines > kMaxScrollback)
      return corrupt("too many scrollback lines: " + std::to_string(*lines));
    auto impl = std::make_unique<Impl>(size);
    for (std::uint32_t i = 0; i < *lines; ++i) {
      const auto length = reader.number<std::uint32_t>();
      if (!length || *length > kMaxSavedLine)
        return corrupt("bad length of scrollback line " + std::to_string(i));
      const auto line = reader.bytes(*length);
      if (!line) return corrupt("cut off in scrollback line " + std::to_string(i));
      impl->scrollback_.emplace_back(*line);
    }
    const auto repaint_size = reader.number<std::uint64_t>();
    const auto log_size = reader.number<std::uint64_t>();
    if (!repaint_size || !log_size) return corrupt("cut off before its log");
    if (*log_size > kMaxSavedLog || *repaint_size > *log_size)
      return corrupt("bad length of its log");
    const auto log = reader.bytes(*log_size);
    if (!log) return corrupt("cut off in its log");
    if (!reader.is_at_end()) return corrupt("something follows its log");
    impl->repaint_size_ = static_cast<std::size_t>(*repaint_size);
    impl->log_ = *log;
    return impl;
  }

 private:
  bool is_log_long() const { return log_.size() - repaint_size_ > kMaxLog; }

  // Brings the emulator up to date and the log within its bound.
  void sync() {
    catch_up();
    if (is_log_long()) compact(size_);
  }

  Emulator& catch_up() {
    drop_scrolled_away();
    return feed_up_to(log_.size());
  }

  Emulator& feed_up_to(std::size_t end) {
    if (!emulator_) emulator_ = std::make_unique<Emulator>(size_, scrollback_);
    if (fed_ < end) emulator_->feed(std::string_view(log_).substr(fed_, end - fed_));
    fed_ = std::max(fed_, end);
    return *emulator_;
  }

  // Shortens the part of the log that the emulator has not seen, if much of it would only pass
  // through. What is shown in the end is the same.
  void drop_scrolled_away() {
    if (log_.size() - fed_ < kWorthDropping) return;
    std::optional<ScrolledAway> part = find_scrolled_away(std::string_view(log_).substr(fed_),
                                                          size_.rows, kMaxScrollback + size_.rows);
    if (!part || part->end - part->begin < part->traces.size() + kWorthDropping) return;
    const std::size_t begin = std::max(fed_ + part->begin, repaint_size_);
    const std::size_t end = fed_ + part->end;
    if (begin >= end || !feed_up_to(begin).is_scrolling_freely()) return;
    log_.replace(begin, end - begin, part->traces);
  }

  // Replaces the log by a repaint. The next emulator is made from that, so what is shown from now
  // on and what load() makes of save() have the same origin and cannot differ.
  void compact(WindowSize size) {
    ScreenSnapshot snapshot = std::move(*emulator_).take_snapshot();
    emulator_.reset();
    if (size != size_) resize_snapshot(snapshot, size);
    size_ = size;
    log_ = waypoint::repaint(snapshot);
    log_.shrink_to_fit();
    repaint_size_ = log_.size();
    fed_ = 0;
    scrollback_ = std::move(snapshot.scrollback);
  }

  WindowSize size_;
  std::deque<std::string> scrollback_;  // as it was where the log begins
  std::string log_;                     // a repaint, then what was fed after it
  std::size_t repaint_size_ = 0;
  std::size_t fed_ = 0;  // how much of the log the emulator has seen
  std::unique_ptr<Emulator> emulator_;
};

Screen::Screen(WindowSize size) : impl_(std::make_unique<Impl>(size)) {}
Screen::Screen(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Screen::Screen(Screen&&) noexcept = default;
Screen& Screen::operator=(Screen&&) noexcept = default;
Screen::~Screen() = default;

void Screen::feed(std::string_view raw) { impl_->feed(raw); }
void Screen::resize(WindowSize size) { impl_->resize(size); }
ScreenText Screen::text() { return impl_->current().text(); }

std::vector<std::string> Screen::scrollback(std::size_t max_lines) {
  const std::deque<std::string>& all = impl_->current().scrollback();
  std::vector<std::string> lines;
  for (std::size_t i = all.size() - std::min(max_lines, all.size()); i < all.size(); ++i) {
    lines.push_back(plain_line(std::string_view(all[i])));
  }
  return lines;
}

std::string Screen::repaint() { return impl_->repaint(); }
WindowSize Screen::size() const { return impl_->size(); }
std::string Screen::save() { return impl_->save(); }

Result<Screen> Screen::load(std::string_view saved) {
  SF_TRY_ASSIGN(std::unique_ptr<Impl> impl, Impl::load(saved));
  return Screen(std::move(impl));
}

}  // namespace sf::waypoint
