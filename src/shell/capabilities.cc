#include "shell/capabilities.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace sf::waypoint {
namespace {

// Indexed by the kernel's capability numbers.
constexpr std::array kNames = {"chown",
                               "dac_override",
                               "dac_read_search",
                               "fowner",
                               "fsetid",
                               "kill",
                               "setgid",
                               "setuid",
                               "setpcap",
                               "linux_immutable",
                               "net_bind_service",
                               "net_broadcast",
                               "net_admin",
                               "net_raw",
                               "ipc_lock",
                               "ipc_owner",
                               "sys_module",
                               "sys_rawio",
                               "sys_chroot",
                               "sys_ptrace",
                               "sys_pacct",
                               "sys_admin",
                               "sys_boot",
                               "sys_nice",
                               "sys_resource",
                               "sys_time",
                               "sys_tty_config",
                               "mknod",
                               "lease",
                               "audit_write",
                               "audit_control",
                               "setfcap",
                               "mac_override",
                               "mac_admin",
                               "syslog",
                               "wake_alarm",
                               "block_suspend",
                               "audit_read",
                               "perfmon",
                               "bpf",
                               "checkpoint_restore"};

constexpr std::array kContainer = {
    "chown",   "dac_override", "fowner",           "fsetid",     "kill",        "setgid", "setuid",
    "setpcap", "net_raw",      "net_bind_service", "sys_chroot", "audit_write", "setfcap"};

std::uint64_t bit_of(const std::string& name) {
  auto found = std::ranges::find(kNames, name);
  return found == kNames.end() ? 0 : 1ULL << static_cast<unsigned>(found - kNames.begin());
}

}  // namespace

std::uint64_t container_capabilities() {
  std::uint64_t set = 0;
  for (const char* name : kContainer) set |= bit_of(name);
  return set;
}

std::vector<std::string> capability_names(std::uint64_t set) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (((set >> i) & 1U) == 0) continue;
    std::string name = std::string("cap_") + kNames[i];
    std::ranges::transform(name, name.begin(),
                           [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    names.push_back(std::move(name));
  }
  return names;
}

Result<std::uint64_t> with_capabilities(std::uint64_t set, const std::vector<std::string>& names) {
  for (std::string name : names) {
    std::ranges::transform(name, name.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (name.starts_with("cap_")) name.erase(0, 4);
    if (name == "all") {
      set = (1ULL << kNames.size()) - 1;
      continue;
    }
    std::uint64_t bit = bit_of(name);
    if (bit == 0) {
      std::string known;
      for (const char* each : kNames) known += std::string(known.empty() ? "" : ", ") + each;
      return invalid("unknown capability " + name, "known: all, " + known);
    }
    set |= bit;
  }
  return set;
}

}  // namespace sf::waypoint
