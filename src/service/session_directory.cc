#include "service/session_directory.h"

#include <algorithm>
#include <utility>

#include "base/existing_names.h"
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

constexpr seconds kSettleTime{15};

control::SessionRecord record_of(const SessionManager& session) {
  return session.read([](const BranchTree& tree) { return tree.session(); });
}

// The objects that none of the sessions names.
control::Orphans unnamed(const control::Inventory& things,
                         const std::vector<SessionDirectory::Session>& sessions,
                         const std::vector<store::UnreadableSession>& unusable) {
  std::set<control::BranchHandle> live(things.live.begin(), things.live.end());
  std::set<control::PhysicalRef> physical(things.physical.begin(), things.physical.end());
  for (const store::UnreadableSession& other : unusable) {
    for (const control::BranchHandle& handle : other.branches) live.erase(handle);
    for (const control::PhysicalRef& ref : other.physical) physical.erase(ref);
  }
  for (const SessionDirectory::Session& session : sessions) {
    session->read([&](const BranchTree& tree) {
      for (const auto& [id, branch] : tree.branches()) live.erase(branch.handle);
      std::erase_if(physical, [&](const auto& ref) { return tree.uses_of(ref) > 0; });
      return Ok{};
    });
  }
  return {{live.begin(), live.end()}, {physical.begin(), physical.end()}};
}

}  // namespace

// Marks a session as used while a caller holds it.
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
                                .prerestores = options.prerestores},
      options.tools);
  std::unique_ptr<SessionDirectory> directory(
      new SessionDirectory(std::move(catalog), std::move(registry), log));
  SF_TRY_ASSIGN(store::LoadedSessions loaded, directory->catalog_->load_sessions());
  directory->recover(std::move(loaded));
  return directory;
}

void SessionDirectory::recover(store::LoadedSessions loaded) {
  if (loaded.strays != 0)
    log_.info("the catalog has rows whose node or branch does not exist",
              {{"rows", std::to_string(loaded.strays)}});
  std::map<std::string, std::vector<Recovered>> by_backend;
  for (const std::string& name : shared_.names()) by_backend[name];  // each may have orphans
  for (SessionImage& image : loaded.images) {
    auto tree = BranchTree::from_image(image);
    if (tree) {
      by_backend[image.session.backend].push_back({std::move(image), std::move(*tree)});
    } else {
      loaded.unreadable.push_back(store::unreadable(image, std::move(tree).error()));
    }
  }
  // Objects can be orphans only if all records are readable.
  knows_all_ = loaded.is_whole() && by_backend.size() == shared_.names().size();
  const Sweep sweep = knows_all_ ? Sweep::kYes : Sweep::kNo;
  for (store::UnreadableSession& session : loaded.unreadable) set_aside(std::move(session));
  for (auto& [name, on_it] : by_backend)
    recover_on(shared_.find_or_name(name), std::move(on_it), sweep);
}

void SessionDirectory::recover_on(Backend& backend, std::vector<Recovered> sessions, Sweep sweep) {
  std::vector<const BranchTree*> trees;
  for (const Recovered& session : sessions) trees.push_back(&session.tree);
  control::Inventory inventory = control::as_recorded(trees);
  if (auto found = backend.inventory()) {
    inventory = std::move(*found);
    if (sweep == Sweep::kYes) discard(backend, control::find_orphans(trees, inventory));
  } else if (!sessions.empty()) {
    log_.error("the backend does not answer", found.error(),
               {{"sessions", std::to_string(sessions.size())}});
  }
  for (Recovered& session : sessions) {
    Status reopened = reopen(std::move(session.image), inventory);
    if (!reopened) set_aside(store::unreadable(session.tree.image(), reopened.error()));
  }
}

// If this version does not know the policy, the session is opened with physical snapshots only,
// which lose nothing.
Status SessionDirectory::reopen(SessionImage image, const control::Inventory& inventory) {
  std::string problem;
  const std::string& backend = image.session.backend;
  std::string policy = image.session.policy;
  if (auto known = control::make_policy(policy, control::CostModel()); !known) {
    problem = known.error().describe() + "; all snapshots will be physical";
    log_.error("a session has an unknown policy", known.error(),
               {{"session", image.session.id.value()}});
    policy = "eager";
  }
  SF_TRY_ASSIGN(control::SessionPorts parts, ports(backend, policy));
  SF_TRY_ASSIGN(auto session,
                SessionManager::reopen(std::move(parts), std::move(image), inventory));
  add(std::move(session), std::move(problem));
  return Ok{};
}

void SessionDirectory::set_aside(store::UnreadableSession session) {
  const std::string id = session.session.id.value();
  log_.error("a session cannot be used", session.why, {{"session", id}});
  std::lock_guard lock(mutex_);
  unusable_.insert_or_assign(id, std::move(session));
}

void SessionDirectory::discard(Backend& backend, const control::Orphans& orphans) {
  for (const control::BranchHandle& branch : orphans.branches) {
    Status ended = backend.end(branch);
    if (!ended.ok()) log_.error("orphan not removed", ended.error(), {{"branch", branch.value()}});
  }
  for (const control::PhysicalRef& ref : orphans.physical) {
    Status removed = backend.remove(ref);
    if (!removed.ok())
      log_.error("orphan not removed", removed.error(), {{"snapshot", ref.value()}});
  }
  if (orphans.branches.empty() && orphans.physical.empty()) return;
  log_.info("removed objects without a record",
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

const store::UnreadableSession* SessionDirectory::look_up_unusable(
    std::string_view id_or_name) const {
  auto by_id = unusable_.find(id_or_name);
  if (by_id != unusable_.end()) return &by_id->second;
  for (const auto& [id, session] : unusable_) {
    if (session.session.name == id_or_name) return &session;
  }
  return nullptr;
}

bool SessionDirectory::is_taken(const std::string& id_or_name) const {
  return look_up(id_or_name) != nullptr || look_up_unusable(id_or_name) != nullptr ||
         reserved_.contains(id_or_name);
}

void SessionDirectory::forget_name(const std::string& name, const std::string& id) {
  auto found = ids_by_name_.find(name);
  if (found != ids_by_name_.end() && found->second == id) ids_by_name_.erase(found);
}

Result<SessionId> SessionDirectory::reserve(const std::string& name) {
  if (sessions_.size() + unusable_.size() + reserved_.size() >= kMaxSessions)
    return fail(ErrorCode::kNoSpace,
                "the daemon has " + std::to_string(kMaxSessions) + " sessions, which is the limit",
                "end some with `statefork rm`");
  if (!name.empty() && is_taken(name))
    return invalid("session name '" + name + "' is already in use",
                   "choose another name, or end that session");
  std::string id = random_id("s");
  while (is_taken(id)) id = random_id("s");
  reserved_.insert(id);
  if (!name.empty()) reserved_.insert(name);
  return SessionId(id);
}

void SessionDirectory::add(Session session, std::string problem) {
  control::SessionRecord record = record_of(*session);
  std::string id = record.id.value();
  std::lock_guard lock(mutex_);
  if (!record.name.empty()) ids_by_name_[record.name] = id;
  sessions_[id] = {.session = std::move(session),
                   .name = record.name,
                   .age = next_age_++,
                   .use = std::make_shared<SessionUse>(record.created, record.terms),
                   .problem = std::move(problem)};
}

SessionDirectory::Session SessionDirectory::lease(const Entry& entry) {
  auto held = std::make_shared<Lease>(entry.session, entry.use);
  return {held, held->session()};
}

Result<SessionDirectory::Session> SessionDirectory::create(CreateSession request) {
  std::shared_lock creating(creating_);
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
  if (const Entry* entry = look_up(id_or_name)) return lease(*entry);
  if (const store::UnreadableSession* found = look_up_unusable(id_or_name))
    return Error(found->why)
        .while_doing("session " + found->session.id.value() + " cannot be used");
  std::vector<std::string> names;
  for (const auto& [id, entry] : sessions_) names.push_back(entry.name.empty() ? id : entry.name);
  std::string hint = existing_names("sessions", names);
  if (names.empty()) hint += "; `statefork new` makes one";
  if (names.size() > kNamesInHint) hint += "; `statefork ls` lists all";
  return fail(ErrorCode::kNotFound, "no such session: " + std::string(id_or_name), hint);
}

std::vector<store::UnreadableSession> SessionDirectory::unusable() const {
  std::lock_guard lock(mutex_);
  std::vector<store::UnreadableSession> all;
  for (const auto& [id, session] : unusable_) all.push_back(session);
  return all;
}

std::optional<store::UnreadableSession> SessionDirectory::find_unusable(
    std::string_view id_or_name) const {
  std::lock_guard lock(mutex_);
  if (look_up(id_or_name) != nullptr) return std::nullopt;
  const store::UnreadableSession* found = look_up_unusable(id_or_name);
  return found == nullptr ? std::nullopt : std::optional(*found);
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
  const control::SessionRecord record = record_of(session);
  if (auto why = shared_.problem(record.backend)) return why->describe();
  std::lock_guard lock(mutex_);
  auto entry = sessions_.find(record.id.value());
  return entry == sessions_.end() ? "" : entry->second.problem;
}

void SessionDirectory::mend_backends() {
  shared_.mend([&](Backend& backend, const control::Inventory& has) {
    for (const Session& session : all_on(backend)) {
      Status marked = session->reconcile(has);
      if (!marked) log_.error("the lost parts of a session could not be recorded", marked.error());
    }
    sweep_reopened(backend, has);
  });
}

std::vector<SessionDirectory::Session> SessionDirectory::all_on(const Backend& backend) const {
  std::vector<Session> sessions = all();
  std::erase_if(sessions,
                [&](const Session& each) { return record_of(*each).backend != backend.name(); });
  return sessions;
}

// Removes objects that were made when the store failed and were not recorded. Waits for operations
// in progress, because their objects have no record yet. Requires: sessions cannot use the backend
// yet.
void SessionDirectory::sweep_reopened(Backend& backend, const control::Inventory& has) {
  const Deadline patience = Deadline::after(kSettleTime);
  std::unique_lock creating(creating_, std::defer_lock);
  bool may_sweep = creating.try_lock_until(patience.at()) && knows_all_;
  const std::vector<Session> sessions = all_on(backend);
  for (const Session& session : sessions) may_sweep = may_sweep && session->settle(patience);
  if (may_sweep) return discard(backend, unnamed(has, sessions, unusable()));
  log_.info("objects without a record are kept until the next start",
            {{"backend", std::string(backend.name())}});
}

Result<control::CleanupReport> SessionDirectory::end_unusable(
    const store::UnreadableSession& session) {
  SF_TRY(catalog_->remove_unreadable(session, wall_now()));
  {
    std::lock_guard lock(mutex_);
    unusable_.erase(session.session.id.value());
  }
  control::CleanupReport report;
  if (auto backend = shared_.find(session.session.backend)) {
    // The rows may be wrong, so objects that another session names are kept.
    discard(**backend, unnamed({session.branches, session.physical}, all(), unusable()));
  } else {
    report.leftovers.push_back(backend.error().message);
  }
  return report;
}

Result<control::CleanupReport> SessionDirectory::end(std::string_view id_or_name) {
  if (auto unusable = find_unusable(id_or_name)) return end_unusable(*unusable);
  SF_TRY_ASSIGN(Session session, find(id_or_name));
  SF_TRY_ASSIGN(control::CleanupReport report, session->end_session());
  std::string id = record_of(*session).id.value();
  for (const std::string& left : report.leftovers)
    log_.info("not removed yet; gc and the next start will retry",
              {{"session", id}, {"what", left}});
  std::lock_guard lock(mutex_);
  auto entry = sessions_.find(id);
  if (entry == sessions_.end()) return report;
  forget_name(entry->second.name, id);
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
    const bool is_ours = taken != nullptr && taken == look_up(id);
    const bool is_foreign = (taken != nullptr && !is_ours) || look_up_unusable(name) != nullptr;
    if (!name.empty() && (is_foreign || !reserved_.insert(name).second))
      return invalid("session name '" + name + "' is already in use", "choose another name");
  }
  ScopeExit release([&] {
    std::lock_guard lock(mutex_);
    reserved_.erase(name);
  });
  SF_TRY(session->rename_session(name));
  std::lock_guard lock(mutex_);
  auto entry = sessions_.find(id);
  if (entry == sessions_.end()) return Ok{};
  forget_name(entry->second.name, id);
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
    Result<BranchFacts> facts = session.facts(branch);
    return !facts.ok() || facts->background_processes > 0;  // unknown: may be running
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
    // Ending the other sessions took time: this one may have been used since.
    why = entry.use->ending(wall_now(), Clock::now());
    if (why == Ending::kNone) continue;
    std::string id = record_of(*entry.session).id.value();
    Result<control::CleanupReport> report = end(id);
    if (!report.ok()) {
      if (report.error().code != ErrorCode::kNotFound)
        log_.error("an expired session could not be ended", report.error(), {{"session", id}});
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
  // Includes objects of ended sessions and leftovers from when the store was opened.
  if (auto store = shared_.registry().waypoint()) {
    for (std::string& left : store->retry_removals()) done.leftovers.push_back(std::move(left));
  }
  SF_TRY_ASSIGN(done.operations, catalog_->trim_operations(kMaxOperations));
  return done;
}

}  // namespace sf::service
