// SessionDirectory: all sessions of the host by id and by name, with the catalog, the backends and
// the policies that they use. It is opened from the state directory and recovers the data of an
// earlier daemon, even if that one was killed.
//
// Thread-safe. The mutex guards the tables and is not held during a session's operations, which run
// in parallel.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <vector>

#include "backends/registry.h"
#include "base/result.h"
#include "control/branch_tree.h"
#include "control/recovery.h"
#include "control/session_manager.h"
#include "service/daemon_log.h"
#include "service/lifetimes.h"
#include "service/shared_backends.h"
#include "store/sqlite_catalog.h"

namespace sf::service {

struct DirectoryOptions {
  std::string state_dir;   // catalog.db and store/; created if missing
  std::string helper_dir;  // empty: the directory of this program
  backends::Tools tools;
  std::size_t prerestores = waypoint::WaypointOptions{}.prerestores;
};

struct CreateSession {
  std::string name;  // may be empty
  std::string backend = "waypoint";
  std::string policy = "eager";
  control::StartConfig config;
  std::map<std::string, std::string> labels;
  control::SessionTerms terms;
};

// A session that has expired.
struct EndedSession {
  std::string id;
  std::string name;
  Ending why = Ending::kTtl;
};

struct Housekeeping {  // the results of collect_garbage()
  std::vector<EndedSession> ended;
  std::vector<std::string> leftovers;  // objects that could not be removed
  std::uint64_t operations = 0;        // deleted rows of the operation log
};

class SessionDirectory {
 public:
  using Session = std::shared_ptr<control::SessionManager>;
  static constexpr std::size_t kMaxSessions = 1024;
  static constexpr std::uint64_t kMaxOperations = 1'000'000;  // rows of the log that gc keeps

  // Removes objects without a record. A session with inconsistent records is listed as unusable; as
  // long as there is one, no object is removed.
  static Result<std::unique_ptr<SessionDirectory>> open(DirectoryOptions options, DaemonLog& log);

  // kInvalidArgument if the name is taken.
  Result<Session> create(CreateSession request);
  // The session counts as used as long as the caller holds the result.
  Result<Session> find(std::string_view id_or_name) const;
  std::vector<Session> all() const;  // oldest first; does not count as use
  // Why the session cannot be used now, or not in full; empty if it can.
  std::string problem(const control::SessionManager& session) const;
  // Sessions that can only be listed and ended. find() fails with the reason.
  std::vector<store::UnreadableSession> unusable() const;
  std::optional<store::UnreadableSession> find_unusable(std::string_view id_or_name) const;
  // Ends the session with all its nodes and branches.
  Result<control::CleanupReport> end(std::string_view id_or_name);
  // kInvalidArgument if the name is taken.
  Status rename(std::string_view id_or_name, const std::string& name);
  // Ends expired sessions (lifetimes.h).
  std::vector<EndedSession> end_expired();
  Result<Housekeeping> collect_garbage();
  // Reopens backends that failed, when a retry is due. Call from one thread at a time.
  void mend_backends();
  std::vector<backends::BackendDescription> backends() const { return shared_.registry().list(); }

 private:
  class Lease;
  // By policy name. Separate for each backend, because a policy learns the backend's costs.
  using Policies = std::map<std::string, std::unique_ptr<control::MaterializationPolicy>>;
  struct Entry {
    Session session;
    std::string name;
    std::uint64_t age = 0;  // increasing
    std::shared_ptr<SessionUse> use;
    std::string problem;  // why it is not used as it was created; empty if it is
  };
  struct Recovered {
    control::SessionImage image;
    control::BranchTree tree;
  };
  enum class Sweep { kNo, kYes };

  SessionDirectory(std::unique_ptr<store::SqliteCatalog> catalog,
                   std::unique_ptr<backends::BackendRegistry> registry, DaemonLog& log)
      : catalog_(std::move(catalog)), shared_(std::move(registry), log), log_(log) {}

  void recover(store::LoadedSessions loaded);
  void recover_on(control::Backend& backend, std::vector<Recovered> sessions, Sweep sweep);
  Status reopen(control::SessionImage image, const control::Inventory& inventory);
  void set_aside(store::UnreadableSession session);
  Result<control::CleanupReport> end_unusable(const store::UnreadableSession& session);
  void discard(control::Backend& backend, const control::Orphans& orphans);
  void sweep_reopened(control::Backend& backend, const control::Inventory& has);
  std::vector<Session> all_on(const control::Backend& backend) const;
  Result<control::SessionPorts> ports(const std::string& backend, const std::string& policy);
  // All require: mutex_ is held.
  Result<control::SessionId> reserve(const std::string& name);
  const Entry* look_up(std::string_view id_or_name) const;
  const store::UnreadableSession* look_up_unusable(std::string_view id_or_name) const;
  bool is_taken(const std::string& id_or_name) const;
  void forget_name(const std::string& name, const std::string& id);

  void add(Session session, std::string problem = {});
  static Session lease(const Entry& entry);
  static bool has_running_work(control::SessionManager& session);

  std::unique_ptr<store::SqliteCatalog> catalog_;
  SharedBackends shared_;
  DaemonLog& log_;
  // All records were readable at the start, so objects without a record are garbage.
  bool knows_all_ = false;

  std::shared_timed_mutex creating_;  // held shared until a new session is in sessions_
  mutable std::mutex mutex_;
  std::map<std::string, Policies> policies_;            // by the backend's name
  std::map<std::string, Entry, std::less<>> sessions_;  // by id
  std::map<std::string, std::string, std::less<>> ids_by_name_;
  std::map<std::string, store::UnreadableSession, std::less<>> unusable_;  // by id
  std::set<std::string> reserved_;  // names and ids of sessions that are being created
  std::uint64_t next_age_ = 0;
};

}  // namespace sf::service
