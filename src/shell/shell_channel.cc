#include "shell/shell_channel.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "os/error.h"
#include "os/file.h"
#include "shell/init/init_protocol.h"

namespace sf::waypoint {
namespace {

constexpr std::size_t kMaxUnread = 1U << 20U;
constexpr std::size_t kMaxFingerprint = 8U << 20U;

Status replace_content(int fd, std::string_view text) {
  if (::ftruncate(fd, 0) != 0 || ::lseek(fd, 0, SEEK_SET) != 0)
    return os::last_error("clearing a memory file");
  return os::write_all(fd, text);
}

}  // namespace

Result<ShellChannel> ShellChannel::open(pid_t init) {
  auto open_fd = [&](int number, int flags) {
    return os::open_file("/proc/" + std::to_string(init) + "/fd/" + std::to_string(number), flags);
  };
  ShellChannel channel;
  SF_TRY_ASSIGN(channel.events_, open_fd(kEventRead, O_RDONLY | O_NONBLOCK));
  SF_TRY_ASSIGN(channel.event_entry_, open_fd(kEventWrite, O_WRONLY | O_NONBLOCK));
  SF_TRY_ASSIGN(channel.acks_, open_fd(kAckWrite, O_WRONLY | O_NONBLOCK));
  SF_TRY_ASSIGN(channel.ack_entry_, open_fd(kAckRead, O_RDONLY | O_NONBLOCK));
  SF_TRY_ASSIGN(channel.requests_, open_fd(kRequestWrite, O_WRONLY | O_NONBLOCK));
  SF_TRY_ASSIGN(channel.command_text_, open_fd(kCommandText, O_RDWR));
  SF_TRY_ASSIGN(channel.script_, open_fd(kScript, O_RDWR));
  SF_TRY_ASSIGN(channel.rc_file_, open_fd(kRcFile, O_RDWR));
  SF_TRY_ASSIGN(channel.request_text_, open_fd(kRequestText, O_RDWR));
  return channel;
}

std::vector<Record> ShellChannel::read_records(ChangeGate& gate) {
  std::vector<Record> records;
  (void)os::read_available(events_.get(), partial_, kMaxUnread);
  std::size_t start = 0;
  for (std::size_t end = 0; (end = partial_.find('\n', start)) != std::string::npos;
       start = end + 1) {
    if (auto record = parse_record(std::string_view(partial_).substr(start, end - start))) {
      if (record->kind == Record::Kind::kServed) {
        ++served_;
        request_pending_ = false;
        if (!waiting_requests_.empty()) (void)send_next_request(gate.open());
      } else {
        records.push_back(std::move(*record));
      }
    }
  }
  partial_.erase(0, start);
  if (partial_.size() >= kMaxUnread) partial_.clear();
  return records;
}

Status ShellChannel::acknowledge(const ChangePermit& /*permit*/, const Record& record) {
  return os::write_all(acks_.get(), answer_to(record));
}

Status ShellChannel::allow_fingerprint(const ChangePermit& /*permit*/, const Record& record,
                                       bool allowed) {
  return os::write_all(
      acks_.get(), "Q " + std::to_string(record.numbers.at(0)) + (allowed ? " yes\n" : " no\n"));
}

Status ShellChannel::load_command(const ChangePermit& /*permit*/, std::string_view text) {
  return replace_content(command_text_.get(), text);
}

Result<std::string> ShellChannel::loaded_text() const {
  struct stat info {};
  if (::fstat(command_text_.get(), &info) != 0) return os::last_error("reading a memory file");
  std::string text(std::min(static_cast<std::size_t>(info.st_size), kMaxFingerprint), '\0');
  ssize_t n = ::pread(command_text_.get(), text.data(), text.size(), 0);
  if (n < 0) return os::last_error("reading a memory file");
  text.resize(static_cast<std::size_t>(n));
  return text;
}

Status ShellChannel::write_script(const ChangePermit& /*permit*/, pid_t holder) {
  return replace_content(script_.get(), protocol_script(holder));
}

Status ShellChannel::install(const ChangePermit& permit, pid_t holder, const Credentials& user) {
  SF_TRY(write_script(permit, holder));
  SF_TRY(replace_content(rc_file_.get(), shell_rc_file()));
  for (int fd :
       {event_entry_.get(), ack_entry_.get(), command_text_.get(), script_.get(), rc_file_.get()}) {
    if (::fchown(fd, user.uid, user.gid) != 0)
      return os::last_error("changing the owner of a descriptor to the branch's user");
  }
  return Ok{};
}

Status ShellChannel::request(const ChangePermit& permit, const StartRequest& request) {
  waiting_requests_.push_back(encode(request));
  return request_pending_ ? Status(Ok{}) : send_next_request(permit);
}

std::optional<std::uint64_t> ShellChannel::served() const {
  if (request_pending_ || !waiting_requests_.empty()) return std::nullopt;
  return served_;
}

// Requires: a request waits, and init has served the previous one.
Status ShellChannel::send_next_request(const ChangePermit& /*permit*/) {
  std::string text = std::move(waiting_requests_.front());
  waiting_requests_.pop_front();
  SF_TRY(replace_content(request_text_.get(), text));
  SF_TRY(os::write_all(requests_.get(), "r"));
  request_pending_ = true;
  return Ok{};
}

}  // namespace sf::waypoint
