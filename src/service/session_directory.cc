#include "service/session_directory.h"

#include <algorithm>
#include <utility>

#include "base/scope_exit.h"
#include "control/policy_names.h"
#include "os/file.h"
#include "service/random_id.h"
#include "service/wall_time.h"

namespace sf::service {

using control::Backend;
using control::BranchTree;
using control::SessionId;
using control::SessionImage;
using control::SessionManager;

namespace {

control::SessionRecord record_of(const SessionManager& session) {
  return session.read([](const BranchTree& tree) { return tree.session(); });
}

}  // namespace

// Held by whoever works with a session.
class SessionDirectory::Lease {
 public:
  Lease(Session session, std::shared_ptr<SessionUse> use)
      : session_(std::move(session)), use_(std::move(use)) {
    use_->begin();
  }
  ~Lease() { use_->end(); }
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;
  SessionManager* session() const { return session_.get(); }

 private:
  Session session_;
  std::shared_ptr<SessionUse> use_;
};

Result<std::unique_ptr<SessionDirectory>> SessionDirectory::open(DirectoryOptions options,
                                                                 DaemonLog& log) {
  SF_TRY(os::make_directories(options.state_dir));
  SF_TRY_ASSIGN(auto catalog, store::SqliteCatalog::open(options.state_dir + "/catalog.db"));
  auto registry = std::make_unique<backends::BackendRegistry>(
      waypoint::WaypointOptions{.store_dir = options.state_dir + "/store",
                                .helper_dir = options.helper_dir,
                                .trees_ahead = options.trees_ahead},
      options.tools);
  std::unique_ptr<SessionDirectory> directory(
      new SessionDirectory(std::move(catalog), std::move(registry), log));
  SF_TRY_ASSIGN(std::vector<SessionImage> images, directory->catalog_->load_all());
  SF_TRY(directory->recover(std::move(images)));
  return directory;
}

Status SessionDirectory::recover(std::vector<SessionImage> images) {
  std::map<std::string, std::vector<SessionImage>> by_backend;
  for (const std::string& name : shared_.names()) by_backend[name];  // each may have orphans
  for (SessionImage& image : images) by_backend[image.session.backend].push_back(std::move(image));
  for (auto& [name, on_it] : by_backend)
    SF_TRY(recover_on(shared_.find_or_name(name), std::move(on_it)));
  return Ok{};
}

Status SessionDirectory::recover_on(Backend& backend, std::vector<SessionImage> images) {
  // All records must make sense before anything is called an orphan.
  std::vector<BranchTree> trees;
  for (const SessionImage& image : images) {
    auto tree = BranchTree::from_image(image);
    if (!tree)
      return std::move(tree).error().while_doing("opening session " + image.session.id.value());
    trees.push_back(std::move(*tree));
  }
  std::vector<const BranchTree*> pointers;
  for (const BranchTree& tree : trees) pointers.push_back(&tree);
  control::Inventory inventory = control::as_recorded(pointers);
  if (auto found = backend.inventory()) {
    inventory = std::move(*found);
    put_away(backend, control::find_orphans(pointers, inventory));
  } else if (!images.empty()) {
    log_.error("backend does not answer", found.error(),
               {{"sessions", std::to_string(images.size())}});
  }
  for (SessionImage& image : images) {
    SF_TRY_ASSIGN(control::SessionPorts parts, ports(image.session.backend, image.session.policy));
    SF_TRY_ASSIGN(auto session,
                  SessionManager::reopen(std::move(parts), std::move(image), inventory));
    add(std::move(session));
  }
  return Ok{};
}

void SessionDirectory::put_away(Backend& backend, const control::Orphans& orphans) {
  for (const control::BranchHandle& branch : orphans.branches) {
    Status ended = backend.end(branch);
    if (!ended.ok()) log_.error("orphan stays", ended.error(), {{"branch", branch.value()}});
  }
  for (const control::PhysicalRef& ref : orphans.physical) {
    Status removed = backend.remove(ref);
    if (!removed.ok()) log_.error("orphan stays", removed.error(), {{"snapshot", ref.value()}});
  }
  if (orphans.branches.empty() && orphans.physical.empty()) return;
  log_.info("put away what no record names",
            {{"backend", std::string(backend.name())},
             {"branches", std::to_string(orphans.branches.size())},
             {"snapshots", std::to_string(orphans.physical.size())}});
}

Result<control::SessionPorts> SessionDirectory::ports(const std::string& backend,
                                                      const std::string& policy) {
  SF_TRY_ASSIGN(Backend * found, shared_.find(backend));
  std::lock_guard lock(mutex_);
  Policies& policies = policies_[backend];
  std::unique_ptr<control::MaterializationPolicy>& shared = policies[policy];
  if (!shared) {
    control::CostModel model(found->expected_cost());
    SF_TRY_ASSIGN(std::vector<control::CostSample> costs, catalog_->measured_costs(backend));
    for (const control::CostSample& sample : costs) model.add(sample);
    auto made = control::make_policy(policy, std::move(model));
    if (!made) {
      policies.erase(policy);
      return std::move(made).error();
    }
    shared = std::move(*made);
  }
  return control::SessionPorts{*found, *catalog_, *shared, wall_now};
}

const SessionDirectory::Entry* SessionDirectory::look_up(std::string_view id_or_name) const {
  auto by_id = sessions_.find(id_or_name);
  if (by_id != sessions_.end()) return &by_id->second;
  auto by_name = ids_by_name_.find(id_or_name);
  return by_name == ids_by_name_.end() ? nullptr : &sessions_.find(by_name->second)->second;
}

Result<SessionId> SessionDirectory::reserve(const std::string& name) {
  if (sessions_.size() + reserved_.size() >= kMaxSessions)
    return fail(ErrorCode::kNoSpace, "there are too many sessions",
                "end some: `statefork ls`, `statefork rm`");
  if (!name.empty() && (look_up(name) != nullptr || reserved_.contains(name)))
    return invalid("a session called '" + name + "' is there already",
                   "choose another name, or end that one");
  std::string id = random_id("s");
  while (look_up(id) != nullptr || reserved_.contains(id)) id = random_id("s");
  reserved_.insert(id);
  if (!name.empty()) reserved_.insert(name);
  return SessionId(id);
}

void SessionDirectory::add(Session session) {
  control::SessionRecord record = record_of(*session);
  std::string id = record.id.value();
  std::lock_guard lock(mutex_);
  if (!record.name.empty()) ids_by_name_[record.name] = id;
  sessions_[id] = {.session = std::move(session),
                   .name = record.name,
                   .age = next_age_++,
                   .use = std::make_shared<SessionUse>(record.created, record.terms)};
}

SessionDirectory::Session SessionDirectory::lease(const Entry& entry) {
  auto held = std::make_shared<Lease>(entry.session, entry.use);
  return {held, held->session()};
}

Result<SessionDirectory::Session> SessionDirectory::create(CreateSession request) {
  if (!request.name.empty()) SF_TRY(control::check_name(request.name, "session name"));
  if (request.backend == "auto") {
    SF_TRY_ASSIGN(backends::BackendChoice chosen, shared_.registry().choose());
    request.backend = chosen.name;
    request.labels["statefork.backend_why"] = chosen.why;
  }
  SF_TRY_ASSIGN(control::SessionPorts parts, ports(request.backend, request.policy));
  if (auto why = shared_.problem(request.backend)) return *why;
  std::string name = request.name;
  SessionId id;
  {
    std::lock_guard lock(mutex_);
    SF_TRY_ASSIGN(id, reserve(name));
  }
  ScopeExit release([&] {
    std::lock_guard lock(mutex_);
    reserved_.erase(id.value());
    reserved_.erase(name);
  });
  SF_TRY_ASSIGN(auto built,
                SessionManager::build_session(std::move(parts), {.id = id,
                                                                 .name = request.name,
                                                                 .config = request.config,
                                                                 .labels = request.labels,
                                                                 .terms = request.terms}));
  Session session = std::move(built);
  add(session);
  return session;
}

Result<SessionDirectory::Session> SessionDirectory::find(std::string_view id_or_name) const {
  SF_TRY(control::check_name(id_or_name, "session"));
  std::lock_guard lock(mutex_);
  const Entry* entry = look_up(id_or_name);
  if (entry == nullptr)
    return fail(ErrorCode::kNotFound, "no session '" + std::string(id_or_name) + "'",
                "`statefork ls` lists them");
  return lease(*entry);
}

std::vector<SessionDirectory::Session> SessionDirectory::all() const {
  std::lock_guard lock(mutex_);
  std::vector<const Entry*> entries;
  for (const auto& [id, entry] : sessions_) entries.push_back(&entry);
  std::sort(entries.begin(), entries.end(),
            [](const Entry* a, const Entry* b) { return a->age < b->age; });
  std::vector<Session> sessions;
  for (const Entry* entry : entries) sessions.push_back(entry->session);
  return sessions;
}

std::string SessionDirectory::problem(const SessionManager& session) const {
  auto why = shared_.problem(record_of(session).backend);
  return why ? why->describe() : "";
}

void SessionDirectory::mend_backends() {
  shared_.mend([&](const std::string& name, const control::Inventory& has) {
    for (const Session& session : all()) {
      if (record_of(*session).backend != name) continue;
      Status marked = session->reconcile(has);
      if (!marked) log_.error("what a session lost is not recorded", marked.error());
    }
  });
}

Result<control::CleanupReport> SessionDirectory::end(std::string_view id_or_name) {
  SF_TRY_ASSIGN(Session session, find(id_or_name));
  SF_TRY_ASSIGN(control::CleanupReport report, session->end_session());
  std::string id = record_of(*session).id.value();
  for (const std::string& left : report.leftovers)
    log_.info("not removed yet, the next start tries again", {{"session", id}, {"what", left}});
  std::lock_guard lock(mutex_);
  auto entry = sessions_.find(id);
  if (entry == sessions_.end()) return report;
  if (!entry->second.name.empty()) ids_by_name_.erase(entry->second.name);
  sessions_.erase(entry);
  return report;
}

Status SessionDirectory::rename(std::string_view id_or_name, const std::string& name) {
  SF_TRY_ASSIGN(Session session, find(id_or_name));
  if (!name.empty()) SF_TRY(control::check_name(name, "session name"));
  std::string id = record_of(*session).id.value();
  {
    std::lock_guard lock(mutex_);
    const Entry* taken = look_up(name);
    bool is_ours = taken != nullptr && taken == look_up(id);
    if (!name.empty() && ((taken != nullptr && !is_ours) || !reserved_.insert(name).second))
      return invalid("a session called '" + name + "' is there already", "choose another name");
  }
  ScopeExit release([&] {
    std::lock_guard lock(mutex_);
    reserved_.erase(name);
  });
  SF_TRY(session->rename_session(name));
  std::lock_guard lock(mutex_);
  auto entry = sessions_.find(id);
  if (entry == sessions_.end()) return Ok{};
  if (!entry->second.name.empty()) ids_by_name_.erase(entry->second.name);
  if (!name.empty()) ids_by_name_[name] = id;
  entry->second.name = name;
  return Ok{};
}

bool SessionDirectory::has_running_work(SessionManager& session) {
  std::vector<control::BranchId> branches = session.read([](const BranchTree& tree) {
    std::vector<control::BranchId> alive;
    for (const auto& [id, branch] : tree.branches()) {
      if (branch.alive) alive.push_back(id);
    }
    return alive;
  });
  return std::ranges::any_of(branches, [&](const control::BranchId& branch) {
    Result<control::BranchFacts> facts = session.facts(branch);
    return !facts.ok() || facts->background_processes > 0;  // who cannot be asked may be at work
  });
}

std::vector<EndedSession> SessionDirectory::end_expired() {
  std::vector<Entry> candidates;
  {
    std::lock_guard lock(mutex_);
    for (const auto& [id, entry] : sessions_) {
      if (entry.use->ending(wall_now(), Clock::now()) != Ending::kNone) candidates.push_back(entry);
    }
  }
  std::vector<EndedSession> ended;
  for (const Entry& entry : candidates) {
    Ending why = entry.use->ending(wall_now(), Clock::now());
    if (why == Ending::kIdle && has_running_work(*entry.session)) {
      entry.use->touch();
      continue;
    }
    // Ending the others took its time: somebody may have come back.
    why = entry.use->ending(wall_now(), Clock::now());
    if (why == Ending::kNone) continue;
    std::string id = record_of(*entry.session).id.value();
    Result<control::CleanupReport> report = end(id);
    if (!report.ok()) {
      if (report.error().code != ErrorCode::kNotFound)
        log_.error("a session whose time is over stays", report.error(), {{"session", id}});
      continue;
    }
    log_.info("session ended", {{"session", id}, {"why", std::string(to_string(why))}});
    ended.push_back({id, entry.name, why});
  }
  return ended;
}

Result<Housekeeping> SessionDirectory::collect_garbage() {
  Housekeeping done{.ended = end_expired()};
  for (const Session& session : all()) {
    for (std::string& left : session->collect_garbage()) done.leftovers.push_back(std::move(left));
  }
  SF_TRY_ASSIGN(done.operations, catalog_->trim_operations(kMaxOperations));
  return done;
}

}  // namespace sf::service
