#include "testing/fake_backend.h"

#include <sstream>
#include <utility>

#include "base/key_names.h"

namespace sf::test {

using control::BackendUsage;
using control::BranchHandle;
using control::Checkpoint;
using control::DiffSide;
using control::Inventory;
using control::PhysicalRef;
using control::Preserves;
using control::StateDiff;

namespace {

constexpr std::uint64_t kMib = 1ULL << 20U;

std::uint64_t memory_of(const FakeMachine& machine) {
  return (10 + machine.processes.size()) * kMib;
}

BranchFacts facts_of(const FakeMachine& machine) {
  return {memory_of(machine), static_cast<std::uint32_t>(machine.processes.size())};
}

Error lost(const BranchHandle& branch) {
  return fail(ErrorCode::kSessionLost, "no live branch " + branch.value());
}

}  // namespace

std::string FakeMachine::dump() const {
  std::string text = std::to_string(rows) + "x" + std::to_string(cols) + "\n";
  for (const auto& [key, value] : variables) text += key + "=" + value + "\n";
  for (const std::string& process : processes) text += "& " + process + "\n";
  return text;
}

template <typename T>
Result<T> FakeBackend::call(const std::string& verb, const Effect<T>& effect) {
  if (options_.fuse != nullptr) SF_TRY(options_.fuse->enter(verb));
  Result<T> result = [&] {
    std::lock_guard lock(mutex_);
    calls_[verb] += 1;
    return effect();
  }();
  if (options_.fuse != nullptr) SF_TRY(options_.fuse->leave(verb));
  return result;
}

Result<FakeMachine*> FakeBackend::live(const BranchHandle& branch) {
  auto it = branches_.find(branch);
  if (it == branches_.end()) return lost(branch);
  return &it->second;
}

BranchHandle FakeBackend::add(FakeMachine machine) {
  BranchHandle handle("live-" + std::to_string(next_++));
  branches_.emplace(handle, std::move(machine));
  return handle;
}

Result<BranchHandle> FakeBackend::revive(const PhysicalRef& from) {
  auto it = snapshots_.find(from);
  if (it == snapshots_.end()) return fail(ErrorCode::kNotFound, "no snapshot " + from.value());
  BranchHandle handle = add(it->second);
  bases_[handle] = it->second;
  return handle;
}

void FakeBackend::fail_checkpoints(std::optional<ErrorCode> code) {
  std::lock_guard lock(mutex_);
  checkpoint_error_ = code;
}

void FakeBackend::fail_digests(std::optional<ErrorCode> code) {
  std::lock_guard lock(mutex_);
  digest_error_ = code;
}

void FakeBackend::be_slow(std::size_t execs, std::size_t digests) {
  std::lock_guard lock(mutex_);
  slow_execs_ = execs;
  slow_digests_ = digests;
}

void FakeBackend::lose_next_answer() {
  std::lock_guard lock(mutex_);
  lose_answer_ = true;
}

void FakeBackend::on_exec(std::function<void(const std::string&)> hook) {
  std::lock_guard lock(mutex_);
  on_exec_ = std::move(hook);
}

void FakeBackend::on_run(std::function<void()> hook) {
  std::lock_guard lock(mutex_);
  on_run_ = std::move(hook);
}

void FakeBackend::on_resize(std::function<void()> hook) {
  std::lock_guard lock(mutex_);
  on_resize_ = std::move(hook);
}

void FakeBackend::let_processes_act(const BranchHandle& branch) {
  std::lock_guard lock(mutex_);
  FakeMachine& machine = branches_.at(branch);
  for (const std::string& process : machine.processes) machine.variables["by_" + process] += "x";
}

void FakeBackend::kill_branch(const BranchHandle& branch) {
  std::lock_guard lock(mutex_);
  branches_.erase(branch);
}

std::size_t FakeBackend::calls(const std::string& verb) const {
  std::lock_guard lock(mutex_);
  auto it = calls_.find(verb);
  return it == calls_.end() ? 0 : it->second;
}

std::optional<FakeMachine> FakeBackend::machine(const BranchHandle& branch) const {
  std::lock_guard lock(mutex_);
  auto it = branches_.find(branch);
  if (it == branches_.end()) return std::nullopt;
  return it->second;
}

Result<BranchHandle> FakeBackend::start(const control::StartConfig& config) {
  return call<BranchHandle>("start", [&]() -> Result<BranchHandle> {
    FakeMachine machine{.rows = config.rows, .cols = config.cols};
    for (const auto& [key, value] : config.env) machine.variables[key] = value;
    return add(std::move(machine));
  });
}

Result<Observation> FakeBackend::perform(FakeMachine& machine, const BranchHandle& branch,
                                         const std::string& command) {
  std::istringstream words(command);
  std::string verb;
  std::string key;
  std::string value;
  words >> verb >> key >> value;
  Observation seen{.duration = milliseconds(1)};
  if (verb == "set") {
    machine.variables[key] = value;
  } else if (verb == "append") {
    machine.variables[key] += value;
  } else if (verb == "get") {
    seen.output = machine.variables.contains(key) ? machine.variables[key] + "\n" : "";
    seen.exit_code = machine.variables.contains(key) ? 0 : 1;
  } else if (verb == "dump") {
    seen.output = machine.dump();
  } else if (verb == "spawn") {
    seen.left_background = machine.processes.insert(key).second;
  } else if (verb == "kill") {
    seen.exit_code = machine.processes.erase(key) == 1 ? 0 : 1;
  } else if (verb == "slow") {
    seen.duration = milliseconds(std::stoi(key));
  } else if (verb == "fail") {
    seen.exit_code = 1;
  } else if (verb == "timeout") {
    seen.timed_out = true;
    seen.exit_code = 124;
  } else if (verb == "random" || verb == "draw") {
    machine.variables[key] = std::to_string(++random_);
    seen.output = machine.variables[key] + "\n";
  } else if (verb == "flaky") {
    seen.output = std::to_string(++random_) + "\n";
  } else if (verb == "long") {  // truncated output: only the ends are kept
    seen.output = "first" + std::string("...") + "last";
    seen.truncated = true;
    seen.raw_hash = 0x5eed;
    seen.output_bytes = std::stoul(key);
    return seen;
  } else if (verb == "hidden") {
    machine.variables[key] = std::to_string(++random_);
  } else if (verb == "lose") {
    branches_.erase(branch);
    return lost(branch);
  } else if (verb != "nop") {
    return invalid("the fake machine does not know '" + verb + "'");
  }
  seen.output_bytes = seen.output.size();
  return seen;
}

Result<Observation> FakeBackend::exec(const BranchHandle& branch, const ExecRequest& request,
                                      const OutputSink& sink) {
  std::function<void(const std::string&)> hook;
  {
    std::lock_guard lock(mutex_);
    hook = on_exec_;
  }
  if (hook) hook(request.command);
  Result<Observation> seen = call<Observation>("exec", [&]() -> Result<Observation> {
    SF_TRY_ASSIGN(FakeMachine * machine, live(branch));
    if (slow_execs_ > 0) {
      --slow_execs_;
      return fail(ErrorCode::kBusy, "the terminal is in use by: bash");
    }
    Result<Observation> done = perform(*machine, branch, request.command);
    if (std::exchange(lose_answer_, false)) return fail(ErrorCode::kOs, "the answer was lost");
    return done;
  });
  if (seen.ok() && sink) sink(seen->output);
  return seen;
}

Result<Checkpoint> FakeBackend::checkpoint(const BranchHandle& branch) {
  return call<Checkpoint>("checkpoint", [&]() -> Result<Checkpoint> {
    SF_TRY_ASSIGN(FakeMachine * machine, live(branch));
    if (checkpoint_error_) return fail(*checkpoint_error_, "process 7 holds a descriptor");
    FakeMachine kept = *machine;
    if (!options_.preserves.has(Preserves::kProcesses)) kept.processes.clear();
    Checkpoint taken{.ref = PhysicalRef("snap-" + std::to_string(next_++)),
                     .bytes = 1000 + machine->dump().size(),
                     .facts = facts_of(*machine),
                     .took = microseconds(5000 + 100 * memory_of(*machine) / kMib),
                     .stopped = milliseconds(2)};
    auto base = bases_.find(branch);
    if (options_.notices_unchanged && kept.processes.empty() && base != bases_.end() &&
        base->second == kept) {
      taken.unchanged = true;
      taken.bytes = 0;
    }
    bases_[branch] = kept;
    snapshots_.emplace(taken.ref, std::move(kept));
    return taken;
  });
}

Result<BranchHandle> FakeBackend::restore(const BranchHandle& /*old*/, const PhysicalRef& from) {
  return call<BranchHandle>("restore", [&] { return revive(from); });
}

std::vector<Result<BranchHandle>> FakeBackend::fork(const PhysicalRef& from, std::size_t count) {
  std::vector<Result<BranchHandle>> forks;
  while (forks.size() < count)
    forks.push_back(call<BranchHandle>("fork", [&] { return revive(from); }));
  return forks;
}

Status FakeBackend::remove(const PhysicalRef& ref) {
  return call<Ok>("remove", [&]() -> Status {
    snapshots_.erase(ref);
    return Ok{};
  });
}

Status FakeBackend::end(const BranchHandle& branch) {
  return call<Ok>("end", [&]() -> Status {
    branches_.erase(branch);
    return Ok{};
  });
}

Status FakeBackend::retire(const BranchHandle& branch) {
  return call<Ok>("retire", [&]() -> Status {
    branches_.erase(branch);
    return Ok{};
  });
}

Result<SideObservation> FakeBackend::run(const BranchHandle& branch, const SideRequest& request) {
  std::function<void()> hook;
  {
    std::lock_guard lock(mutex_);
    hook = on_run_;
  }
  if (hook) hook();
  return call<SideObservation>("run", [&]() -> Result<SideObservation> {
    SF_TRY_ASSIGN(FakeMachine * machine, live(branch));
    for (const std::string& word : request.argv) machine->variables[word] = request.input;
    return SideObservation{.standard_output = machine->dump()};
  });
}

Result<TypedKeys> FakeBackend::send_keys(const BranchHandle& branch, std::string_view keys) {
  return call<TypedKeys>("send_keys", [&]() -> Result<TypedKeys> {
    SF_TRY_ASSIGN(FakeMachine * machine, live(branch));
    machine->variables["keys"] += keys;
    return TypedKeys{keys.size(), 0};
  });
}

Result<TypedKeys> FakeBackend::send_input(const BranchHandle& branch, const InputEvents& input) {
  return send_keys(branch, describe(input));
}

Result<ScreenText> FakeBackend::screen(const BranchHandle& branch, std::size_t /*scrollback*/) {
  return call<ScreenText>("screen", [&]() -> Result<ScreenText> {
    SF_TRY_ASSIGN(FakeMachine * machine, live(branch));
    return ScreenText{.rows = {machine->dump()}};
  });
}

Status FakeBackend::resize(const BranchHandle& branch, std::uint16_t rows, std::uint16_t cols) {
  std::function<void()> hook;
  {
    std::lock_guard lock(mutex_);
    hook = on_resize_;
  }
  if (hook) hook();
  return call<Ok>("resize", [&]() -> Status {
    SF_TRY_ASSIGN(FakeMachine * machine, live(branch));
    machine->rows = rows;
    machine->cols = cols;
    return Ok{};
  });
}

Result<std::unique_ptr<TerminalFeed>> FakeBackend::watch(const BranchHandle&) {
  return fail(ErrorCode::kUnsupported, "a fake terminal cannot be watched");
}

Result<std::string> FakeBackend::read_file(const BranchHandle& branch, const std::string& path,
                                           std::size_t max_bytes) {
  return call<std::string>("read_file", [&]() -> Result<std::string> {
    SF_TRY_ASSIGN(FakeMachine * machine, live(branch));
    auto it = machine->variables.find(path);
    if (it == machine->variables.end()) return fail(ErrorCode::kNotFound, "no file " + path);
    return it->second.substr(0, max_bytes);
  });
}

Status FakeBackend::write_file(const BranchHandle& branch, const std::string& path,
                               std::string_view content) {
  return call<Ok>("write_file", [&]() -> Status {
    SF_TRY_ASSIGN(FakeMachine * machine, live(branch));
    machine->variables[path] = content;
    return Ok{};
  });
}

Result<BranchFacts> FakeBackend::facts(const BranchHandle& branch) {
  return call<BranchFacts>("facts", [&]() -> Result<BranchFacts> {
    SF_TRY_ASSIGN(FakeMachine * machine, live(branch));
    return facts_of(*machine);
  });
}

Result<WindowSize> FakeBackend::window(const BranchHandle& branch) {
  return call<WindowSize>("window", [&]() -> Result<WindowSize> {
    SF_TRY_ASSIGN(FakeMachine * machine, live(branch));
    return WindowSize{machine->rows, machine->cols};
  });
}

Result<std::string> FakeBackend::digest(const BranchHandle& branch,
                                        const std::optional<PhysicalRef>& since,
                                        const control::DigestBudget& /*budget*/) {
  return call<std::string>("digest", [&]() -> Result<std::string> {
    SF_TRY_ASSIGN(FakeMachine * machine, live(branch));
    if (!options_.has_digests) return fail(ErrorCode::kUnsupported, "too many files");
    if (digest_error_) return fail(*digest_error_, "the digest failed");
    if (since && !snapshots_.contains(*since))
      return fail(ErrorCode::kNotFound, "no snapshot " + since->value());
    if (slow_digests_ > 0) {
      --slow_digests_;
      return fail(ErrorCode::kUnsupported, "the shell is not at its prompt");
    }
    return "files:" + std::to_string(control::hash_text(machine->dump()));
  });
}

Result<FakeMachine> FakeBackend::side(const DiffSide& side) {
  if (const auto* branch = std::get_if<BranchHandle>(&side)) {
    SF_TRY_ASSIGN(FakeMachine * machine, live(*branch));
    return *machine;
  }
  auto it = snapshots_.find(std::get<PhysicalRef>(side));
  if (it == snapshots_.end()) return fail(ErrorCode::kNotFound, "no such snapshot");
  return it->second;
}

Result<StateDiff> FakeBackend::diff(const DiffSide& from, const DiffSide& to) {
  return call<StateDiff>("diff", [&]() -> Result<StateDiff> {
    SF_TRY_ASSIGN(FakeMachine before, side(from));
    SF_TRY_ASSIGN(FakeMachine after, side(to));
    StateDiff diff;
    for (const auto& [key, value] : after.variables) {
      auto it = before.variables.find(key);
      if (it != before.variables.end() && it->second == value) continue;
      diff.differences.push_back({.subject = control::DiffSubject::kEnvironment,
                                  .kind = it == before.variables.end()
                                              ? control::DiffKind::kAdded
                                              : control::DiffKind::kChanged,
                                  .name = key,
                                  .before = it == before.variables.end() ? "" : it->second,
                                  .after = value});
    }
    return diff;
  });
}

Result<BackendUsage> FakeBackend::usage() {
  return call<BackendUsage>("usage", [&]() -> Result<BackendUsage> {
    return BackendUsage{0, snapshots_.size(), branches_.size()};
  });
}

Result<Inventory> FakeBackend::inventory() {
  return call<Inventory>("inventory", [&]() -> Result<Inventory> {
    Inventory all;
    for (const auto& [handle, machine] : branches_) all.live.push_back(handle);
    for (const auto& [ref, machine] : snapshots_) all.physical.push_back(ref);
    return all;
  });
}

}  // namespace sf::test
