// The keeper's ends of the pipes and memory files that a branch's init holds (see
// shell/init/init_protocol.h).
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "os/fd.h"
#include "shell/change_gate.h"
#include "shell/init/start_request.h"
#include "shell/shell_protocol.h"

namespace sf::waypoint {

class ShellChannel {
 public:
  // Requires: `init` runs waypoint-init.
  static Result<ShellChannel> open(pid_t init);

  int events_fd() const { return events_.get(); }
  // Returns the complete records that have arrived. Drops unknown lines: any process in the branch
  // may write to the pipe. `gate`: used to send the next request if init has served one.
  std::vector<Record> read_records(ChangeGate& gate);
  // Lets the shell that wrote `record` continue. Requires: a load, start or end record.
  Status acknowledge(const ChangePermit& permit, const Record& record);
  // Answers an ask record.
  Status allow_fingerprint(const ChangePermit& permit, const Record& record, bool allowed);
  Status load_command(const ChangePermit& permit, std::string_view text);
  // The content of the command's memory file. After a command, the shell writes its fingerprint
  // there (shell_fingerprint.h).
  Result<std::string> loaded_text() const;
  // Writes the protocol's script, with paths through `holder`. Requires: no shell is reading it.
  Status write_script(const ChangePermit& permit, pid_t holder);
  // Writes the protocol's texts and makes `user` the owner of the descriptors that the shell opens.
  Status install(const ChangePermit& permit, pid_t holder, const Credentials& user);
  // Init serves one request at a time; further ones wait here.
  Status request(const ChangePermit& permit, const StartRequest& request);
  bool request_pending() const { return request_pending_; }
  // For a restored init that was captured with a pending request: it reports when it has served
  // that request. Until then the next request must not overwrite it.
  void set_request_pending(bool pending) { request_pending_ = pending; }
  // How many requests init has served, including those of other senders; empty if one is pending.
  std::optional<std::uint64_t> served() const;

 private:
  os::UniqueFd events_;
  os::UniqueFd acks_;
  os::UniqueFd ack_entry_;
  os::UniqueFd event_entry_;
  os::UniqueFd requests_;
  os::UniqueFd command_text_;
  os::UniqueFd script_;
  os::UniqueFd rc_file_;
  os::UniqueFd request_text_;
  std::string partial_;
  std::deque<std::string> waiting_requests_;
  bool request_pending_ = false;
  std::uint64_t served_ = 0;

  Status send_next_request(const ChangePermit& permit);
};

}  // namespace sf::waypoint
