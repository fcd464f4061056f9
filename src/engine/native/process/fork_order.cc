#include "engine/native/process/fork_order.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

namespace sf::waypoint::native {
namespace {

Error no_way(const Member& member, const std::string& why) {
  return fail(ErrorCode::kUnsupported, "process " + std::to_string(member.pid) + " " + why);
}

class Planner {
 public:
  Planner(const std::vector<Member>& members, const std::vector<pid_t>& taken)
      : members_(members), taken_(taken.begin(), taken.end()) {}

  Result<std::vector<PlannedFork>> run() {
    for (std::size_t i = 0; i < members_.size(); ++i) {
      const Member& m = members_[i];
      planned_forks_.push_back(
          {PlannedFork::Kind::kMember, m.pid, i, m.group, m.session, m.terminal, {}, {}});
      by_pid_[m.pid] = i;
      taken_.insert({m.pid, m.group, m.session});
    }
    if (members_.empty() || !planned_forks_[0].leads_session())
      return fail(ErrorCode::kUnsupported, "init does not lead its session");
    for (std::size_t i = 1; i < members_.size(); ++i) make_session(members_[i].session);
    for (std::size_t i = 1; i < members_.size(); ++i) make_group(members_[i]);
    for (std::size_t i = 1; i < members_.size(); ++i) SF_TRY(location(i));
    SF_TRY(check());
    return std::move(planned_forks_);
  }

 private:
  std::size_t add_late(std::size_t by, PlannedFork planned) {
    planned_forks_.push_back(std::move(planned));
    planned_forks_[by].late.push_back(planned_forks_.size() - 1);
    return planned_forks_.size() - 1;
  }

  // If the leader has ended, init forks a stand-in that starts the session again.
  void make_session(pid_t session) {
    if (by_pid_.contains(session)) return;
    by_pid_[session] =
        add_late(0, {PlannedFork::Kind::kStandIn, session, 0, session, session, -1, {}, {}});
  }

  void make_group(const Member& m) {
    if (by_pid_.contains(m.group)) return;
    by_pid_[m.group] =
        add_late(by_pid_[m.session],
                 {PlannedFork::Kind::kStandIn, m.group, 0, m.group, m.session, m.terminal, {}, {}});
  }

  pid_t fresh_pid() {
    while (taken_.contains(next_)) ++next_;
    return next_++;
  }

  // The session that a process is in before it starts its own.
  pid_t session_at_fork(std::size_t planned) const {
    const Member& m = members_[planned];
    return planned == 0 ? 0 : planned_forks_[by_pid_.at(m.parent)].session;
  }

  Status location(std::size_t index) {
    const Member& m = members_[index];
    if (!by_pid_.contains(m.parent) ||
        planned_forks_[by_pid_[m.parent]].kind != PlannedFork::Kind::kMember)
      return no_way(m, "has no parent in the branch");
    std::size_t parent = by_pid_[m.parent];
    const Member& above = members_[parent];
    if (m.session == m.pid || m.session == above.session) {
      planned_forks_[parent].late.push_back(index);
    } else if (parent != 0 && above.session == above.pid && session_at_fork(parent) == m.session) {
      planned_forks_[parent].early.push_back(index);
    } else if (parent == 0) {
      std::size_t bridge =
          add_late(by_pid_[m.session],
                   {PlannedFork::Kind::kBridge, fresh_pid(), 0, m.session, m.session, -1, {}, {}});
      planned_forks_[bridge].late.push_back(index);
    } else {
      return no_way(m, "is in a session that its parent was never in");
    }
    return Ok{};
  }

  Status check() const {
    for (const Member& m : members_) {
      const PlannedFork& leader = planned_forks_[by_pid_.at(m.session)];
      if (leader.session != m.session) return no_way(m, "is in a session that no process starts");
      const PlannedFork& group = planned_forks_[by_pid_.at(m.group)];
      if (group.session != m.session || group.group != m.group)
        return no_way(m, "is in a group of another session");
      if (!m.ended && m.terminal != leader.terminal)
        return no_way(m, "has another terminal than its session");
    }
    return Ok{};
  }

  const std::vector<Member>& members_;
  std::set<pid_t> taken_;
  std::vector<PlannedFork> planned_forks_;
  std::map<pid_t, std::size_t> by_pid_;
  pid_t next_ = 300;
};

}  // namespace

Result<std::vector<PlannedFork>> plan_forks(const std::vector<Member>& members,
                                            const std::vector<pid_t>& taken) {
  return Planner(members, taken).run();
}

}  // namespace sf::waypoint::native
