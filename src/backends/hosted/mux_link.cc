#include "backends/hosted/mux_link.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

#include "os/error.h"
#include "os/poller.h"
#include "wire/mux.h"

namespace sf::backends {

namespace {

constexpr auto kResetTime = milliseconds(300);  // interval for repeating the reset of the peer
// Time limit for the first answer; then the link connects again. QEMU may have accepted the
// connection while the machine was stopped and before it dropped the previous client. Then no data
// ever arrives.
constexpr auto kAnswerTime = seconds(5);

}  // namespace

class MuxLink::Loop {
 public:
  static Result<std::unique_ptr<Loop>> start(os::UniqueFd in, os::UniqueFd out) {
    SF_TRY_ASSIGN(os::Poller poller, os::Poller::create());
    os::UniqueFd bell(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (!bell.valid()) return os::last_error("creating an event descriptor");
    std::unique_ptr<Loop> loop(new Loop(std::move(poller), std::move(bell)));
    loop->mux_ = std::make_unique<wire::Mux>(
        loop->poller_, std::move(in), std::move(out),
        []() -> Result<os::UniqueFd> { return invalid("the agent opens no connections"); });
    SF_TRY(loop->mux_->start());
    SF_TRY(loop->poller_.add(loop->bell_.get(), EPOLLIN,
                             [raw = loop.get()](std::uint32_t) { raw->on_bell(); }));
    loop->mux_->reset_peer(loop->number_);
    loop->thread_ = std::thread([raw = loop.get()] { raw->run(); });
    return loop;
  }
  ~Loop() {
    stopping_ = true;
    ring();
    if (thread_.joinable()) thread_.join();
  }

  Result<os::UniqueFd> connect() {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
      return os::last_error("creating a connection");
    os::UniqueFd ours(ends[0]);
    os::UniqueFd theirs(ends[1]);
    std::lock_guard lock(mutex_);
    if (ended_) return fail(ErrorCode::kBusy, "the connection to the agent has ended");
    fresh_.push_back(std::move(theirs));
    ring();
    return ours;
  }
  bool ended() const { return ended_; }

 private:
  Loop(os::Poller poller, os::UniqueFd bell) : poller_(std::move(poller)), bell_(std::move(bell)) {}

  void ring() const {
    const std::uint64_t one = 1;
    ssize_t ignored = ::write(bell_.get(), &one, sizeof one);
    (void)ignored;
  }
  void on_bell() {
    std::uint64_t rung = 0;
    ssize_t ignored = ::read(bell_.get(), &rung, sizeof rung);
    (void)ignored;
  }
  void open_fresh() {
    std::vector<os::UniqueFd> fresh;
    {
      std::lock_guard lock(mutex_);
      fresh.swap(fresh_);
    }
    for (os::UniqueFd& connection : fresh) mux_->open(std::move(connection));
  }
  void run() {
    const Deadline patience = Deadline::after(kAnswerTime);
    Deadline answer = Deadline::after(kResetTime);
    while (!stopping_ && !mux_->closed()) {
      if (!poller_.run_once(mux_->is_waiting() ? answer : Deadline::never())) break;
      if (!mux_->is_waiting()) {
        open_fresh();
      } else if (patience.passed()) {
        break;
      } else if (answer.passed()) {
        mux_->reset_peer(number_);
        answer = Deadline::after(kResetTime);
      }
    }
    std::lock_guard lock(mutex_);
    ended_ = true;
    fresh_.clear();
    mux_.reset();
  }

  os::Poller poller_;
  os::UniqueFd bell_;
  const std::uint32_t number_ = std::random_device()() | 1U;  // not 0
  std::unique_ptr<wire::Mux> mux_;
  std::thread thread_;
  std::mutex mutex_;
  std::vector<os::UniqueFd> fresh_;  // guarded by mutex_: to be opened
  std::atomic<bool> ended_ = false;
  std::atomic<bool> stopping_ = false;
};

MuxLink::MuxLink(std::unique_ptr<Loop> loop) : loop_(std::move(loop)) {}
MuxLink::~MuxLink() = default;

Result<std::unique_ptr<MuxLink>> MuxLink::start(os::UniqueFd in, os::UniqueFd out) {
  SF_TRY_ASSIGN(std::unique_ptr<Loop> loop, Loop::start(std::move(in), std::move(out)));
  return std::unique_ptr<MuxLink>(new MuxLink(std::move(loop)));
}

Result<os::UniqueFd> MuxLink::connect() { return loop_->connect(); }
bool MuxLink::ended() const { return loop_->ended(); }

}  // namespace sf::backends
