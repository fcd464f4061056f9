#include "terminal/screen.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "terminal/emulator.h"
#include "terminal/query_scanner.h"
#include "terminal/reflow.h"
#include "terminal/screen_snapshot.h"
#include "terminal/terminal_answers.h"
#include "terminal/unseen_output.h"

namespace sf::waypoint {
namespace {

constexpr std::string_view kMagic = "SFSCREEN";
constexpr std::uint32_t kVersion = 2;
constexpr std::uint32_t kOldestVersion = 1;  // without continued lines and answers
constexpr std::size_t kWorthDropping = 32768;
constexpr std::uint64_t kMaxSavedLine = 1ULL << 20;
constexpr std::size_t kMaxAnswers = 64;  // a program with more unread answers does not read them
constexpr std::size_t kMaxAnswer = 4096;
constexpr std::uint64_t kMaxSavedLog =
    128ULL << 20;  // enough for two screens of kMaxSize with a new colour in each cell

WindowSize clamp_size(WindowSize size) {
  return {std::clamp(size.rows, Screen::kMinSize.rows, Screen::kMaxSize.rows),
          std::clamp(size.cols, Screen::kMinSize.cols, Screen::kMaxSize.cols)};
}

template <typename Integer>
void put(std::string& out, Integer value) {
  for (std::size_t i = 0; i < sizeof(Integer); ++i)
    out += static_cast<char>((value >> (8 * i)) & 0xff);
}

void put_bytes(std::string& out, std::string_view bytes) {
  put(out, static_cast<std::uint32_t>(bytes.size()));
  out += bytes;
}

// Reads little-endian numbers and byte strings from the front. Returns nothing at the end.
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
    // In steps, so that the log stays small even if `raw` is large.
    while (!raw.empty()) {
      const std::string_view part = raw.substr(0, kMaxPending);
      scanner_.feed(part, *this);
      raw.remove_prefix(part.size());
      if (log_.size() - fed_ <= kMaxPending) continue;
      drop_unseen_output();
      if (log_.size() - fed_ > kMaxPending / 2) sync();
    }
  }

  void on_other(std::string_view bytes) { log_.append(bytes); }
  void on_query(const TerminalQuery& query) {
    // A sequence may set one colour and query another.
    TerminalColours set;
    if (query.kind == TerminalQuery::Kind::kOsc) set.obey(query.body);
    if (!set.empty()) on_other(query.bytes);
    std::string answer = answer_query(query, catch_up(), size_);
    if (!answer.empty() && answers_.size() < kMaxAnswers) answers_.push_back(std::move(answer));
  }

  const std::vector<std::string>& answers() const { return answers_; }
  const std::vector<std::string>& typed_answers() const { return typed_answers_; }
  void note_answers_typed() {
    std::move(answers_.begin(), answers_.end(), std::back_inserter(typed_answers_));
    answers_.clear();
    if (typed_answers_.size() > kMaxAnswers)
      typed_answers_.erase(typed_answers_.begin(),
                           typed_answers_.end() - static_cast<std::ptrdiff_t>(kMaxAnswers));
  }
  void forget_answers() {
    answers_.clear();
    typed_answers_.clear();
  }

  void resize(WindowSize size) {
    size = clamp_size(size);
    if (size == size_) return;
    catch_up();
    compact(size);
  }

  // The emulator, after the whole log was fed to it.
  Emulator& current() {
    sync();
    return catch_up();
  }

  std::string repaint() {
    catch_up();
    compact(size_);
    return log_ + std::string(scanner_.held());
  }
  WindowSize size() const { return size_; }

  std::string save() {
    if (is_log_long()) drop_unseen_output();
    if (is_log_long()) sync();
    std::string out(kMagic);
    put(out, kVersion);
    put(out, size_.rows);
    put(out, size_.cols);
    put(out, static_cast<std::uint8_t>(is_top_continued_));
    put(out, static_cast<std::uint32_t>(scrollback_.size()));
    for (const ScrolledLine& line : scrollback_) {
      put(out, static_cast<std::uint8_t>(line.is_continued));
      put_bytes(out, line.encoded);
    }
    for (const std::vector<std::string>* answers : {&answers_, &typed_answers_}) {
      put(out, static_cast<std::uint32_t>(answers->size()));
      for (const std::string& answer : *answers) put_bytes(out, answer);
    }
    const std::string_view held = scanner_.held();
    put(out, static_cast<std::uint64_t>(repaint_size_));
    put(out, static_cast<std::uint64_t>(log_.size() + held.size()));
    return out + log_ + std::string(held);
  }

  static Result<std::unique_ptr<Impl>> load(std::string_view saved) {
    Reader reader(saved);
    if (reader.bytes(kMagic.size()) != kMagic) return corrupt("no magic number");
    const auto version = reader.number<std::uint32_t>();
    if (!version) return corrupt("truncated header");
    if (*version < kOldestVersion || *version > kVersion)
      return corrupt("unknown version " + std::to_string(*version));
    const bool has_flags = *version >= 2;
    const auto flag = [&] { return has_flags ? reader.number<std::uint8_t>() : std::uint8_t{0}; };
    const auto rows = reader.number<std::uint16_t>();
    const auto cols = reader.number<std::uint16_t>();
    const auto is_top_continued = flag();
    const auto lines = reader.number<std::uint32_t>();
    if (!rows || !cols || !is_top_continued || *is_top_continued > 1 || !lines)
      return corrupt("truncated header");
    const WindowSize size{*rows, *cols};
    if (clamp_size(size) != size) {
      return corrupt("invalid size " + std::to_string(*rows) + "x" + std::to_string(*cols));
    }
    if (*lines > kMaxScrollback)
      return corrupt("too many scrollback lines: " + std::to_string(*lines));
    auto impl = std::make_unique<Impl>(size);
    impl->is_top_continued_ = *is_top_continued != 0;
    for (std::uint32_t i = 0; i < *lines; ++i) {
      const auto is_continued = flag();
      if (!is_continued || *is_continued > 1)
        return corrupt("invalid flag of scrollback line " + std::to_string(i));
      const auto length = reader.number<std::uint32_t>();
      if (!length || *length > kMaxSavedLine)
        return corrupt("invalid length of scrollback line " + std::to_string(i));
      const auto line = reader.bytes(*length);
      if (!line) return corrupt("truncated scrollback line " + std::to_string(i));
      impl->scrollback_.push_back({std::string(*line), *is_continued != 0});
    }
    if (has_flags) {
      for (std::vector<std::string>* answers : {&impl->answers_, &impl->typed_answers_})
        SF_TRY(read_answers(reader, *answers));
    }
    const auto repaint_size = reader.number<std::uint64_t>();
    const auto log_size = reader.number<std::uint64_t>();
    if (!repaint_size || !log_size) return corrupt("truncated before the log");
    if (*log_size > kMaxSavedLog || *repaint_size > *log_size)
      return corrupt("invalid length of the log");
    const auto log = reader.bytes(*log_size);
    if (!log) return corrupt("truncated log");
    if (!reader.is_at_end()) return corrupt("data after the log");
    // Queries in the log were answered before it was saved.
    struct Silent {
      std::string& log;
      void on_other(std::string_view bytes) { log += bytes; }
      void on_query(const TerminalQuery& query) { log += query.bytes; }
    } silent{impl->log_};
    impl->scanner_.feed(*log, silent);
    impl->repaint_size_ = std::min(static_cast<std::size_t>(*repaint_size), impl->log_.size());
    return impl;
  }

 private:
  bool is_log_long() const { return log_.size() - repaint_size_ > kMaxLog; }

  // Feeds the log to the emulator, and compacts the log if it is too long.
  void sync() {
    catch_up();
    if (is_log_long()) compact(size_);
  }

  Emulator& catch_up() {
    drop_unseen_output();
    return feed_up_to(log_.size());
  }

  Emulator& feed_up_to(std::size_t end) {
    if (!emulator_) emulator_ = std::make_unique<Emulator>(size_, scrollback_, is_top_continued_);
    if (fed_ < end) emulator_->feed(std::string_view(log_).substr(fed_, end - fed_));
    fed_ = std::max(fed_, end);
    return *emulator_;
  }

  // Shortens the part of the log that was not fed to the emulator yet, if much of it would scroll
  // out of sight. The result on the screen is the same.
  void drop_unseen_output() {
    if (log_.size() - fed_ < kWorthDropping) return;
    std::optional<UnseenOutput> part = find_unseen_output(std::string_view(log_).substr(fed_),
                                                          size_.rows, kMaxScrollback + size_.rows);
    if (!part || part->end - part->begin < part->traces.size() + kWorthDropping) return;
    const std::size_t begin = std::max(fed_ + part->begin, repaint_size_);
    const std::size_t end = fed_ + part->end;
    if (begin >= end || !feed_up_to(begin).is_scrolling_freely()) return;
    log_.replace(begin, end - begin, part->traces);
  }

  // Replaces the log by a repaint. The next emulator starts from this repaint, as load(save())
  // does, so the two show the same.
  void compact(WindowSize size) {
    ScreenSnapshot snapshot = std::move(*emulator_).take_snapshot();
    emulator_.reset();
    if (size != size_) resize_snapshot(snapshot, size);
    size_ = size;
    log_ = waypoint::repaint(snapshot);
    log_.shrink_to_fit();
    repaint_size_ = log_.size();
    fed_ = 0;
    is_top_continued_ = snapshot.continued.front();
    scrollback_ = std::move(snapshot.scrollback);
  }

  static Status read_answers(Reader& reader, std::vector<std::string>& into) {
    const auto count = reader.number<std::uint32_t>();
    if (!count || *count > kMaxAnswers) return corrupt("invalid number of answers");
    for (std::uint32_t i = 0; i < *count; ++i) {
      const auto length = reader.number<std::uint32_t>();
      if (!length || *length > kMaxAnswer) return corrupt("invalid length of an answer");
      const auto answer = reader.bytes(*length);
      if (!answer) return corrupt("truncated answer");
      into.emplace_back(*answer);
    }
    return Ok{};
  }

  WindowSize size_;
  Scrollback scrollback_;          // at the start of the log
  bool is_top_continued_ = false;  // at the start of the log, the first row continues scrollback_
  QueryScanner scanner_;           // holds the end of the stream while that may become a query
  std::vector<std::string> answers_;
  std::vector<std::string> typed_answers_;
  std::string log_;  // a repaint, then the bytes fed after it, without queries
  std::size_t repaint_size_ = 0;
  std::size_t fed_ = 0;  // bytes of the log that were fed to the emulator
  std::unique_ptr<Emulator> emulator_;
};

Screen::Screen(WindowSize size) : impl_(std::make_unique<Impl>(size)) {}
Screen::Screen(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Screen::Screen(Screen&&) noexcept = default;
Screen& Screen::operator=(Screen&&) noexcept = default;
Screen::~Screen() = default;

void Screen::feed(std::string_view raw) { impl_->feed(raw); }
void Screen::resize(WindowSize size) { impl_->resize(size); }
const std::vector<std::string>& Screen::answers() const { return impl_->answers(); }
const std::vector<std::string>& Screen::typed_answers() const { return impl_->typed_answers(); }
void Screen::note_answers_typed() { impl_->note_answers_typed(); }
void Screen::forget_answers() { impl_->forget_answers(); }
TerminalModes Screen::modes() { return impl_->current().modes(); }
ScreenText Screen::text() { return impl_->current().text(); }

std::vector<std::string> Screen::scrollback(std::size_t max_lines) {
  const Scrollback& all = impl_->current().scrollback();
  std::vector<std::string> lines;
  for (std::size_t i = all.size() - std::min(max_lines, all.size()); i < all.size(); ++i) {
    lines.push_back(plain_line(std::string_view(all[i].encoded)));
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
