#include "daemon/ways.h"

#include <nlohmann/json.hpp>

#include "os/run_program.h"

namespace sf::bench {
namespace {

constexpr auto kLongest = milliseconds(300'000);

Error failed(const std::string& command, const std::string& output) {
  return fail(ErrorCode::kOs, command.substr(0, 60) + ": " + output);
}

}  // namespace

// Takes a fingerprint of the shell as well, as the daemon's sessions do.
Status LibraryWay::exec(const std::string& command) {
  SF_TRY_ASSIGN(
      Observation ran,
      manager_.exec(branch_, {.command = command, .timeout = kLongest, .fingerprint = true}));
  if (ran.exit_code != 0) return failed(command, ran.output);
  return Ok{};
}

Status LibraryWay::snapshot() {
  SF_TRY_ASSIGN(waypoint::CheckpointInfo taken, manager_.checkpoint(branch_));
  last_ = taken.id;
  return Ok{};
}

Status LibraryWay::restore() { return manager_.restore(branch_, last_); }

Status LibraryWay::fork(std::size_t count) {
  for (auto& made : manager_.fork(last_, count)) {
    if (!made) return std::move(made).error();
    forks_.push_back(*made);
  }
  return Ok{};
}

Status LibraryWay::end_forks() {
  for (const waypoint::BranchId& branch : forks_) SF_TRY(manager_.end(branch));
  forks_.clear();
  return Ok{};
}

Result<pid_t> LibraryWay::keeper() const {
  for (const waypoint::BranchInfo& info : manager_.branches()) {
    if (info.id == branch_) return info.keeper_pid;
  }
  return fail(ErrorCode::kNotFound, "the branch is gone");
}

Status DaemonWay::exec(const std::string& command) {
  SF_TRY_ASSIGN(wire::Json seen,
                client_.post(branch_path() + "/exec",
                             {{"command", command}, {"timeout_ms", kLongest.count()}}));
  if (seen.value("exit_code", -1) != 0) return failed(command, seen.value("output", ""));
  return Ok{};
}

Status DaemonWay::snapshot() {
  SF_TRY_ASSIGN(wire::Json report, client_.post(branch_path() + "/snapshot", wire::Json::object()));
  if (report.value("kind", "") != "physical") return failed("snapshot", report.dump());
  return Ok{};
}

Status DaemonWay::restore() {
  SF_TRY(client_.post(branch_path() + "/restore", {{"node", "HEAD"}}));
  return Ok{};
}

Status DaemonWay::fork(std::size_t count) {
  SF_TRY_ASSIGN(wire::Json report, client_.post(branch_path() + "/fork", {{"count", count}}));
  for (const wire::Json& made : report["branches"]) {
    if (!made.contains("branch")) return failed("fork", made.dump());
  }
  return Ok{};
}

Status DaemonWay::end_forks() {
  SF_TRY_ASSIGN(wire::Json tree, client_.get("/v1/sessions/" + session_ + "/tree"));
  for (const wire::Json& branch : tree["branches"]) {
    const std::string id = branch.value("id", "");
    if (id != "main") SF_TRY(client_.remove("/v1/sessions/" + session_ + "/branches/" + id));
  }
  return Ok{};
}

Status CommandLineWay::run(std::vector<std::string> words) const {
  words.insert(words.begin(), program_);
  SF_TRY_ASSIGN(os::ProgramOutput done, os::run_program(words, Deadline::after(kLongest)));
  if (!done.succeeded()) return failed(words[1], done.text);
  return Ok{};
}

Status CommandLineWay::exec(const std::string& command) {
  return run({"exec", session_, "--socket", socket_, "--", command});
}

Status CommandLineWay::snapshot() { return run({"snapshot", session_, "--socket", socket_}); }

Status CommandLineWay::restore() { return run({"restore", session_, "HEAD", "--socket", socket_}); }

Status CommandLineWay::fork(std::size_t count) {
  return run({"fork", session_, "--count", std::to_string(count), "--socket", socket_});
}

}  // namespace sf::bench
