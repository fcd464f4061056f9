// The library without a daemon, in a program that a test may kill: sessions over the backend
// `waypoint` with a catalog in a file.
//
//   properties-library STATE_DIR
//
// Each line of standard input is a JSON object with "id", "verb", "session", "branch" and the
// verb's arguments. Each line of standard output is the reply to one id. Requests run concurrently.
// At end of input the program waits for them and exits; branches stay alive.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <functional>
#include <iostream>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "backends/registry.h"
#include "control/policy_names.h"
#include "control/recovery.h"
#include "control/session_manager.h"
#include "os/file.h"
#include "store/sqlite_catalog.h"
#include "wire/base64.h"
#include "wire/input_message.h"
#include "wire/problem.h"

namespace sf::properties {
namespace {

using control::BranchId;
using control::BranchTree;
using control::SessionManager;
using wire::Json;

constexpr std::size_t kMaxFile = 1U << 20U;

control::WallTime now() {
  return std::chrono::floor<microseconds>(std::chrono::system_clock::now());
}

class Library {
 public:
  static Result<std::unique_ptr<Library>> open(const std::string& state_dir) {
    SF_TRY(os::make_directories(state_dir));
    std::unique_ptr<Library> library(new Library(state_dir));
    SF_TRY_ASSIGN(library->backend_, library->registry_.make("waypoint"));
    SF_TRY_ASSIGN(library->catalog_, store::SqliteCatalog::open(state_dir + "/catalog.db"));
    SF_TRY(library->recover());
    return library;
  }

  Result<Json> serve(const Json& request) {
    const std::string verb = request.at("verb");
    if (verb == "create") return create(request);
    SF_TRY_ASSIGN(std::shared_ptr<SessionManager> session, find(request.at("session")));
    BranchId branch(request.at("branch").get<std::string>());
    if (verb == "exec") return exec(*session, branch, request);
    if (verb == "run") return run(*session, branch, request);
    if (verb == "snapshot") return snapshot(*session, branch, request);
    if (verb == "restore") return restore(*session, branch, request);
    if (verb == "fork") return fork(*session, branch, request);
    if (verb == "diff") return diff(*session, branch, request);
    if (verb == "read") return read(*session, branch, request);
    SF_TRY(change(*session, branch, request));
    return Json::object();
  }

 private:
  explicit Library(const std::string& state_dir) : registry_({.store_dir = state_dir + "/store"}) {}

  control::MaterializationPolicy* policy(const std::string& name) {
    auto& shared = policies_[name];
    if (shared) return shared.get();
    auto made = control::make_policy(name, control::CostModel(backend_->expected_cost()));
    if (made) shared = std::move(*made);
    return shared.get();
  }

  control::SessionPorts ports(const std::string& policy_name) {
    return {*backend_, *catalog_, *policy(policy_name), now};
  }

  Status recover() {
    SF_TRY_ASSIGN(std::vector<control::SessionImage> images, catalog_->load_all());
    std::vector<BranchTree> trees;
    for (const control::SessionImage& image : images) {
      SF_TRY_ASSIGN(BranchTree tree, BranchTree::from_image(image));
      trees.push_back(std::move(tree));
    }
    std::vector<const BranchTree*> pointers;
    for (const BranchTree& tree : trees) pointers.push_back(&tree);
    SF_TRY_ASSIGN(control::Inventory inventory, backend_->inventory());
    control::Orphans orphans = control::find_orphans(pointers, inventory);
    for (const auto& branch : orphans.branches) SF_TRY(backend_->end(branch));
    for (const auto& ref : orphans.physical) SF_TRY(backend_->remove(ref));
    for (control::SessionImage& image : images) {
      const std::string id = image.session.id.value();
      control::SessionPorts used = ports(image.session.policy);
      SF_TRY_ASSIGN(auto session, SessionManager::reopen(used, std::move(image), inventory));
      sessions_[id] = std::move(session);
    }
    return Ok{};
  }

  Result<Json> create(const Json& request) {
    std::lock_guard lock(mutex_);
    control::StartConfig config;
    config.extra["engine"] = request.at("engine");
    const std::string id = request.at("session");
    control::SessionTerms terms;  // recorded, unlike limits: they hold after a restart, too
    terms.max_bytes = request.at("max_bytes");
    SF_TRY_ASSIGN(auto session,
                  SessionManager::build_session(
                      ports(request.at("policy")),
                      {.id = control::SessionId(id), .config = config, .terms = terms}));
    sessions_[id] = std::move(session);
    return Json::object();
  }

  Result<std::shared_ptr<SessionManager>> find(const std::string& id) {
    std::lock_guard lock(mutex_);
    auto found = sessions_.find(id);
    if (found == sessions_.end()) return fail(ErrorCode::kNotFound, "no session " + id);
    return found->second;
  }

  static Result<Json> exec(SessionManager& session, const BranchId& branch, const Json& request) {
    SF_TRY_ASSIGN(
        Observation seen,
        session.exec_command(branch, {.command = request.at("command"),
                                      .timeout = milliseconds(request.at("timeout_ms"))}));
    return Json{
        {"output", seen.output}, {"exit_code", seen.exit_code}, {"timed_out", seen.timed_out}};
  }

  static Result<Json> run(SessionManager& session, const BranchId& branch, const Json& request) {
    SF_TRY_ASSIGN(SideObservation seen, session.run(branch, {.argv = request.at("argv")}));
    return Json{{"output", seen.standard_output},
                {"exit_code", seen.exit_code},
                {"timed_out", seen.timed_out}};
  }

  static Result<Json> snapshot(SessionManager& session, const BranchId& branch,
                               const Json& request) {
    control::SnapshotRequest wanted;
    const std::string kind = request.at("materialization");
    if (kind == "physical") wanted.wanted = control::Materialization::kPhysical;
    if (kind == "virtual") wanted.wanted = control::Materialization::kVirtual;
    SF_TRY_ASSIGN(control::SnapshotReport report, session.snapshot(branch, wanted));
    const bool is_physical = report.kind == control::Materialization::kPhysical;
    return Json{{"node", report.node.value()},
                {"kind", is_physical ? "physical" : "virtual"},
                {"unchanged", report.unchanged},
                {"why", report.why}};
  }

  static Result<Json> restore(SessionManager& session, const BranchId& branch,
                              const Json& request) {
    const auto on_divergence = request.at("accept").get<bool>() ? control::OnDivergence::kAccept
                                                                : control::OnDivergence::kFail;
    SF_TRY_ASSIGN(control::RestoreReport report,
                  session.restore(branch, request.at("node").get<std::string>(), on_divergence));
    return Json{{"accepted", report.accepted.size()}, {"unproven", report.unproven}};
  }

  static Result<Json> fork(SessionManager& session, const BranchId& branch, const Json& request) {
    SF_TRY_ASSIGN(control::ForkReport report,
                  session.fork(branch, request.at("node").get<std::string>(), {.count = 1}));
    Result<BranchId> made = std::move(report.branches.front());
    if (!made) return std::move(made).error();
    return Json{{"name", made->value()}, {"unproven", report.unproven}};
  }

  static Result<Json> diff(SessionManager& session, const BranchId& branch, const Json& request) {
    SF_TRY_ASSIGN(control::StateDiff found,
                  session.diff(branch, request.at("node").get<std::string>(), std::nullopt));
    Json differences = Json::array();
    for (const auto& one : found.differences) {
      if (one.subject == control::DiffSubject::kFile)
        differences.push_back({{"subject", "file"}, {"name", one.name}});
    }
    return Json{{"differences", differences}, {"unproven", found.unproven}};
  }

  static Result<Json> read(SessionManager& session, const BranchId& branch, const Json& request) {
    SF_TRY_ASSIGN(std::string content, session.read_file(branch, request.at("path"), kMaxFile));
    return Json{{"content", wire::to_base64(content)}};
  }

  static Status change(SessionManager& session, const BranchId& branch, const Json& request) {
    const std::string verb = request.at("verb");
    if (verb == "write") {
      SF_TRY_ASSIGN(std::string content,
                    wire::from_base64(request.at("content").get<std::string>()));
      return session.write_file(branch, request.at("path"), std::move(content));
    }
    if (verb == "keys") {
      SF_TRY(session.send_keys(branch, request.at("keys").get<std::string>()));
      return Ok{};
    }
    if (verb == "input") {
      SF_TRY_ASSIGN(InputEvents input, wire::input_from_json(request.at("input")));
      SF_TRY(session.send_input(branch, input));
      return Ok{};
    }
    if (verb == "resize") return session.resize(branch, request.at("rows"), request.at("cols"));
    Result<control::CleanupReport> removed = [&]() -> Result<control::CleanupReport> {
      if (verb == "end") return session.end_branch(branch);
      if (verb == "destroy") return session.end_session();
      if (verb == "cleanup")
        return session.cleanup(branch, request.at("node").get<std::string>(), control::Force::kNo);
      return invalid("unknown verb " + verb);
    }();
    if (!removed) return std::move(removed).error();
    return Ok{};
  }

  backends::BackendRegistry registry_;
  std::unique_ptr<control::Backend> backend_;
  std::unique_ptr<store::SqliteCatalog> catalog_;
  std::mutex mutex_;
  std::map<std::string, std::unique_ptr<control::MaterializationPolicy>> policies_;
  std::map<std::string, std::shared_ptr<SessionManager>> sessions_;
};

void answer(Library& library, const Json& request, std::mutex& output) {
  Json reply;
  try {
    Result<Json> served = library.serve(request);
    reply = served ? std::move(*served) : wire::problem_from_error(served.error());
  } catch (const Json::exception& error) {
    reply = wire::problem_from_error(invalid(std::string("malformed request: ") + error.what()));
  }
  reply["id"] = request.value("id", 0);
  const std::string line = reply.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  std::lock_guard lock(output);
  std::fputs(line.c_str(), stdout);
  std::fflush(stdout);
}

int serve_input(Library& library) {
  std::mutex output;
  std::list<std::thread> running;
  for (std::string line; std::getline(std::cin, line);)
    running.emplace_back([&library, &output, request = Json::parse(line, nullptr, false)] {
      answer(library, request, output);
    });
  for (std::thread& thread : running) thread.join();
  return 0;
}

}  // namespace
}  // namespace sf::properties

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: properties-library STATE_DIR\n", stderr);
    return 2;
  }
  auto library = sf::properties::Library::open(argv[1]);
  if (!library) {
    std::fprintf(stderr, "%s\n", library.error().describe().c_str());
    return 1;
  }
  return sf::properties::serve_input(**library);
}
