#include "engine/native/process/credentials.h"

#include <linux/capability.h>
#include <linux/securebits.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

namespace sf::waypoint::native {

void bring_back_credentials(ProgramWriter& program, const Credentials& who) {
  Arena& arena = program.arena();
  program.about("groups");
  program.call(SYS_setgroups,
               {who.groups.size(), arena.put(who.groups.data(), who.groups.size() * 4)});
  program.about("bounding set");
  for (unsigned cap = 0; cap <= CAP_LAST_CAP; ++cap)
    if (((who.capabilities[3] >> cap) & 1U) == 0)
      program.try_call(SYS_prctl, {PR_CAPBSET_DROP, cap, 0, 0, 0});
  // Capabilities must survive the change of ids; they are set afterwards.
  program.about("user and group ids");
  program.call(SYS_prctl, {PR_SET_SECUREBITS, SECBIT_NO_SETUID_FIXUP, 0, 0, 0});
  program.call(SYS_setresgid, {who.gids[0], who.gids[1], who.gids[2]});
  program.call(SYS_setfsgid, {who.gids[3]});
  program.call(SYS_setresuid, {who.uids[0], who.uids[1], who.uids[2]});
  program.call(SYS_setfsuid, {who.uids[3]});
  program.about("secure bits");
  program.call(SYS_prctl, {PR_SET_SECUREBITS, who.secure_bits, 0, 0, 0});
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct data[2] = {};
  for (unsigned i = 0; i < 2; ++i) {
    data[i].inheritable = static_cast<__u32>(who.capabilities[0] >> (32U * i));
    data[i].permitted = static_cast<__u32>(who.capabilities[1] >> (32U * i));
    data[i].effective = static_cast<__u32>(who.capabilities[2] >> (32U * i));
  }
  program.about("capabilities");
  program.call(SYS_capset, {arena.put_value(header), arena.put_value(data)});
  for (unsigned cap = 0; cap <= CAP_LAST_CAP; ++cap)
    if (((who.capabilities[4] >> cap) & 1U) != 0)
      program.call(SYS_prctl, {PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, cap, 0, 0});
  program.about("no_new_privs");
  if (who.no_new_privileges != 0) program.call(SYS_prctl, {PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0});
}

}  // namespace sf::waypoint::native
