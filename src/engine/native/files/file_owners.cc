#include "engine/native/files/file_owners.h"

#include <fcntl.h>
#include <sys/syscall.h>

#include <set>

#include "engine/native/facts.h"

namespace sf::waypoint::native {
namespace {

pid_t find_owner(const OwnerFacts& owner, const std::vector<ProcessFacts>& processes) {
  for (const ProcessFacts& process : processes) {
    const StatusText& status = process.status();
    if (owner.type == F_OWNER_PID && process.pid == owner.pid) return process.inner_pid();
    if (owner.type == F_OWNER_PGRP && status.groups.front() == owner.pid)
      return status.groups.back();
  }
  return 0;
}

}  // namespace

OwnerFacts read_owner(int fd) {
  OwnerFacts facts;
  f_owner_ex owner{};
  if (::fcntl(fd, F_GETOWN_EX, &owner) != 0) return facts;
  facts.is_there = owner.pid != 0;
  facts.type = owner.type;
  facts.pid = owner.pid;
  facts.signal = ::fcntl(fd, F_GETSIG);
  return facts;
}

void find_owners(std::vector<ProcessFacts>& processes) {
  for (ProcessFacts& process : processes)
    for (DescriptorFacts& fd : process.descriptors)
      if (fd.owner.is_there) fd.owner.inner = find_owner(fd.owner, processes);
}

void bring_back_owners(ProgramWriter& program, const ProcessImage& process, const TreeImage& tree) {
  std::set<std::uint32_t> done;
  for (const Descriptor& fd : process.descriptors) {
    const FileImage& file = tree.files[fd.file];
    const FileOwner& owner = file.owner;
    bool any = owner.pid != 0 || owner.signal != 0 || owner.is_async != 0;
    if (!any || file.event.owner != process.pid || !done.insert(fd.file).second) continue;
    program.about("owner of a descriptor");
    f_owner_ex who{static_cast<__pid_type>(owner.type), owner.pid};
    if (owner.pid != 0)
      program.call(SYS_fcntl, {fd.number, F_SETOWN_EX, program.arena().put_value(who)});
    if (owner.signal != 0) program.call(SYS_fcntl, {fd.number, F_SETSIG, owner.signal});
    if (owner.is_async != 0)
      program.call(SYS_fcntl, {fd.number, F_SETFL, file.flags | static_cast<unsigned>(O_ASYNC)});
  }
}

}  // namespace sf::waypoint::native
