// SessionDirectory: all sessions of the host by id and by name, with what they stand on: the
// catalog, the backends, the policies. Opened from the state directory, where it finds what an
// earlier daemon left, killed or not.
//
// Thread-safe. The mutex guards the tables, never a session's work: sessions run side by side.
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
  std::string state_dir;   // catalog.db and store/; made when new
  std::string helper_dir;  // empty: beside this program
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

// A session whose time was over.
struct EndedSession {
  std::string id;
  std::string name;
  Ending why = Ending::kTtl;
};

struct Housekeeping {  // what collect_garbage() found
  std::vector<EndedSession> ended;
  std::vector<std::string> leftovers;  // what still cannot be removed
  std::uint64_t operations = 0;        // rows of the operation log that were dropped
};

class SessionDirectory {
 public:
  using Session = std::shared_ptr<control::SessionManager>;
  static constexpr std::size_t kMaxSessions = 1024;
  static constexpr std::uint64_t kMaxOperations = 1'000'000;  // rows of the log that gc keeps

  // Puts away what no record names. A session whose records do not make sense is listed as
  // unusable; as long as there is one, nothing is put away.
  static Result<std::unique_ptr<SessionDirectory>> open(DirectoryOptions options, DaemonLog& log);

  // kInvalidArgument when the name is taken.
  Result<Session> create(CreateSession request);
  // As long as the answer is held, the session counts as used.
  Result<Session> find(std::string_view id_or_name) const;
  std::vector<Session> all() const;  // the oldest first; a mere look, no use
  // Why the session cannot be used now, or not as it was made; empty if it can.
  std::string problem(const control::SessionManager& session) const;
  // Sessions that can be listed and ended, and nothing else. find() fails with the reason.
  std::vector<store::UnreadableSession> unusable() const;
  std::optional<store::UnreadableSession> find_unusable(std::string_view id_or_name) const;
  // Ends the session with all its nodes and branches.
  Result<control::CleanupReport> end(std::string_view id_or_name);
  // kInvalidArgument when the name is taken.
  Status rename(std::string_view id_or_name, const std::string& name);
  // Ends the sessions whose time is over (lifetimes.h).
  std::vector<EndedSession> end_expired();
  Result<Housekeeping> collect_garbage();
  // Opens backends again that failed, if there is reason to. One caller at a time.
  void mend_backends();
  std::vector<backends::BackendDescription> backends() const { return shared_.registry().list(); }

 private:
  class Lease;
  // By name: the policies learn what one backend costs.
  using Policies = std::map<std::string, std::unique_ptr<control::MaterializationPolicy>>;
  struct Entry {
    Session session;
    std::string name;
    std::uint64_t age = 0;  // ever growing
    std::shared_ptr<SessionUse> use;
    std::string problem;  // it is not used as it was made; empty: it is
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
  // The records that were found name all that there is: then the rest is garbage. Set at the start.
  bool knows_all_ = false;

  std::shared_timed_mutex creating_;  // held, shared, until a new session is among sessions_
  mutable std::mutex mutex_;
  std::map<std::string, Policies> policies_;            // by the backend's name
  std::map<std::string, Entry, std::less<>> sessions_;  // by id
  std::map<std::string, std::string, std::less<>> ids_by_name_;
  std::map<std::string, store::UnreadableSession, std::less<>> unusable_;  // by id
  std::set<std::string> reserved_;  // names and ids of sessions that are being made
  std::uint64_t next_age_ = 0;
};

}  // namespace sf::service
