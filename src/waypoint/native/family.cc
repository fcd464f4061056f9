#include "waypoint/native/family.h"

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

  Result<std::vector<Birth>> run() {
    for (std::size_t i = 0; i < members_.size(); ++i) {
      const Member& m = members_[i];
      births_.push_back({Birth::Kind::kMember, m.pid, i, m.group, m.session, m.terminal, {}, {}});
      by_pid_[m.pid] = i;
      taken_.insert({m.pid, m.group, m.session});
    }
    if (members_.empty() || !births_[0].leads_session())
      return fail(ErrorCode::kUnsupported, "init does not lead its session");
    for (std::size_t i = 1; i < members_.size(); ++i) make_session(members_[i].session);
    for (std::size_t i = 1; i < members_.size(); ++i) make_group(members_[i]);
    for (std::size_t i = 1; i < members_.size(); ++i) SF_TRY(place(i));
    SF_TRY(check());
    return std::move(births_);
  }

 private:
  std::size_t add_late(std::size_t by, Birth birth) {
    births_.push_back(std::move(birth));
    births_[by].late.push_back(births_.size() - 1);
    return births_.size() - 1;
  }

  // A leader that is gone: init forks its stand-in, which begins the session again.
  void make_session(pid_t session) {
    if (by_pid_.contains(session)) return;
    by_pid_[session] =
        add_late(0, {Birth::Kind::kStandIn, session, 0, session, session, -1, {}, {}});
  }

  void make_group(const Member& m) {
    if (by_pid_.contains(m.group)) return;
    by_pid_[m.group] =
        add_late(by_pid_[m.session],
                 {Birth::Kind::kStandIn, m.group, 0, m.group, m.session, m.terminal, {}, {}});
  }

  pid_t fresh_pid() {
    while (taken_.contains(next_)) ++next_;
    return next_++;
  }

  // The session that a process is in before it begins its own.
  pid_t birth_session(std::size_t birth) const {
    const Member& m = members_[birth];
    return birth == 0 ? 0 : births_[by_pid_.at(m.parent)].session;
  }

  Status place(std::size_t index) {
    const Member& m = members_[index];
    if (!by_pid_.contains(m.parent) || births_[by_pid_[m.parent]].kind != Birth::Kind::kMember)
      return no_way(m, "has no parent in the branch");
    std::size_t parent = by_pid_[m.parent];
    const Member& above = members_[parent];
    if (m.session == m.pid || m.session == above.session) {
      births_[parent].late.push_back(index);
    } else if (parent != 0 && above.session == above.pid && birth_session(parent) == m.session) {
      births_[parent].early.push_back(index);
    } else if (parent == 0) {
      std::size_t bridge =
          add_late(by_pid_[m.session],
                   {Birth::Kind::kBridge, fresh_pid(), 0, m.session, m.session, -1, {}, {}});
      births_[bridge].late.push_back(index);
    } else {
      return no_way(m, "is in a session that its parent never was in");
    }
    return Ok{};
  }

  Status check() const {
    for (const Member& m : members_) {
      const Birth& leader = births_[by_pid_.at(m.session)];
      if (leader.session != m.session) return no_way(m, "is in a session without a beginning");
      const Birth& group = births_[by_pid_.at(m.group)];
      if (group.session != m.session || group.group != m.group)
        return no_way(m, "is in a group of another session");
      if (!m.ended && m.terminal != leader.terminal)
        return no_way(m, "has another terminal than its session");
    }
    return Ok{};
  }

  const std::vector<Member>& members_;
  std::set<pid_t> taken_;
  std::vector<Birth> births_;
  std::map<pid_t, std::size_t> by_pid_;
  pid_t next_ = 300;
};

}  // namespace

Result<std::vector<Birth>> plan_births(const std::vector<Member>& members,
                                       const std::vector<pid_t>& taken) {
  return Planner(members, taken).run();
}

}  // namespace sf::waypoint::native
