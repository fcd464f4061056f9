#include "session.h"

#include <gtest/gtest.h>

#include <utility>

#include "os/file.h"

namespace sf::equivalence {

Session::Session(Session&& other) noexcept
    : host_(std::exchange(other.host_, nullptr)),
      branch_(std::move(other.branch_)),
      patience_(other.patience_) {}

Session::~Session() {
  if (host_ == nullptr) return;
  Status ended = host_->end(branch_);
  if (!ended.ok())
    ADD_FAILURE() << "ending " << branch_.value() << ": " << ended.error().describe();
}

Result<Session> Session::start(Host& host, const std::string& user) {
  SF_TRY_ASSIGN(BranchId branch, host.start(user));
  Session session(host, branch);
  SF_TRY(session.run("cd /w"));
  return session;
}

Result<Session> Session::fork(Host& host, const CheckpointId& checkpoint) {
  SF_TRY_ASSIGN(BranchId branch, host.fork(checkpoint));
  return Session(host, std::move(branch));
}

Result<Observation> Session::run(const std::string& command) {
  Result<Observation> seen = host_->exec(branch_, command, patience_);
  if (!seen.ok()) return std::move(seen).error().while_doing("running " + command);
  return seen;
}

Result<Observations> Session::run(const std::vector<std::string>& commands) {
  Observations all;
  for (const std::string& command : commands) {
    SF_TRY_ASSIGN(Observation seen, run(command));
    all.push_back(std::move(seen));
  }
  return all;
}

Result<CheckpointId> Session::checkpoint() {
  Result<CheckpointId> id = host_->checkpoint(branch_);
  if (!id.ok()) return std::move(id).error().while_doing("checkpoint");
  return id;
}

Status Session::restore(const CheckpointId& checkpoint) {
  Status restored = host_->restore(branch_, checkpoint);
  if (!restored.ok()) return std::move(restored).error().while_doing("restore");
  return Ok{};
}

Result<std::string> test_programs() {
  SF_TRY_ASSIGN(std::string self, os::read_link("/proc/self/exe"));
  return os::read_file(self.substr(0, self.rfind('/')) + "/stateful", 64U << 20U);
}

std::string install_script() {
  return R"(set -e
cat > /usr/local/bin/stateful
cat > /usr/local/bin/wait-for <<'END'
#!/bin/bash
for ((i = 0; i < 600; i++)); do
  "$@" >/dev/null 2>&1 && exit 0
  sleep 0.05
done
exit 1
END
chmod 755 /usr/local/bin/stateful /usr/local/bin/wait-for
mkdir -m 1777 /w
readlink /proc/self/ns/pid)";
}

}  // namespace sf::equivalence
