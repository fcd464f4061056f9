#include "os/host_info.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <sstream>
#include <utility>

#include "os/error.h"
#include "os/file.h"

namespace sf::os {
namespace {

constexpr std::string_view kCapabilityLine = "\nCapEff:\t";  // never the first line
constexpr std::size_t kBootIdSize = 36;
constexpr std::uint64_t kAllUsers = 4294967295;
constexpr std::array<std::pair<std::uint32_t, const char*>, 11> kFileSystems = {{
    {0xEF53, "ext4"},
    {0x9123683E, "btrfs"},
    {0x58465342, "xfs"},
    {0x01021994, "tmpfs"},
    {0x794C7630, "overlay"},
    {0x6969, "nfs"},
    {0x2FC12FC1, "zfs"},
    {0x65735546, "fuse"},
    {0xF2F52010, "f2fs"},
    {0x01021997, "9p"},
    {0x73717368, "squashfs"},
}};

constexpr std::string_view kSystemPath =
    "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

// In the order of the capability bits.
constexpr const char* kCapabilityNames =
    "chown dac_override dac_read_search fowner fsetid kill setgid setuid setpcap linux_immutable "
    "net_bind_service net_broadcast net_admin net_raw ipc_lock ipc_owner sys_module sys_rawio "
    "sys_chroot sys_ptrace sys_pacct sys_admin sys_boot sys_nice sys_resource sys_time "
    "sys_tty_config mknod lease audit_write audit_control setfcap mac_override mac_admin syslog "
    "wake_alarm block_suspend audit_read perfmon bpf checkpoint_restore";

CapabilitySet capabilities_in(std::uint64_t bits) {
  CapabilitySet held;
  std::istringstream names(kCapabilityNames);
  for (std::string name; names >> name; bits >>= 1U) {
    if ((bits & 1U) != 0) held.insert(name);
  }
  return held;
}

std::string file_system_name(std::uint32_t magic) {
  for (const auto& [number, name] : kFileSystems) {
    if (number == magic) return name;
  }
  std::ostringstream text;
  text << "type 0x" << std::hex << magic;
  return text.str();
}

bool is_file_with(const std::string& path, int access) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) &&
         ::faccessat(AT_FDCWD, path.c_str(), access, AT_EACCESS) == 0;
}

std::optional<std::string> find_in(const std::string& name, std::string_view path) {
  while (!path.empty()) {
    std::size_t colon = path.find(':');
    std::string candidate = std::string(path.substr(0, colon)) + "/" + name;
    if (candidate.front() == '/' && candidate.size() > name.size() + 1 && is_executable(candidate))
      return candidate;
    path = colon == std::string_view::npos ? std::string_view() : path.substr(colon + 1);
  }
  return std::nullopt;
}

std::string parent_of(const std::string& path) {
  std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

}  // namespace

std::optional<KernelVersion> parse_kernel_version(std::string_view release) {
  KernelVersion version;
  const char* end = release.data() + release.size();
  auto [dot, major_error] = std::from_chars(release.data(), end, version.major);
  if (major_error != std::errc() || dot == end || *dot != '.') return std::nullopt;
  if (std::from_chars(dot + 1, end, version.minor).ec != std::errc()) return std::nullopt;
  if (version.major < 0 || version.minor < 0) return std::nullopt;
  return version;
}

std::string kernel_release() {
  utsname names{};
  return ::uname(&names) == 0 ? names.release : "";
}

std::string boot_id() {
  auto id = read_file("/proc/sys/kernel/random/boot_id");
  return id ? id->substr(0, kBootIdSize) : "unknown";
}

CapabilitySet all_capabilities() { return capabilities_in(~0ULL); }

CapabilitySet parse_effective_capabilities(std::string_view status) {
  std::size_t at = status.find(kCapabilityLine);
  if (at == std::string_view::npos) return {};
  std::uint64_t bits = 0;
  std::from_chars(status.data() + at + kCapabilityLine.size(), status.data() + status.size(), bits,
                  16);
  return capabilities_in(bits);
}

bool maps_all_users(std::string_view uid_map) {
  std::istringstream stream{std::string(uid_map)};
  std::uint64_t inside = 1;
  std::uint64_t outside = 1;
  std::uint64_t count = 0;
  return stream >> inside >> outside >> count && inside == 0 && outside == 0 && count == kAllUsers;
}

bool is_root() { return ::geteuid() == 0; }

bool is_executable(const std::string& path) { return is_file_with(path, X_OK); }

bool is_readable(const std::string& path) { return is_file_with(path, R_OK); }

std::optional<std::string> find_program(const std::string& name, std::string_view search_path) {
  if (auto found = find_in(name, search_path)) return found;
  return find_in(name, kSystemPath);
}

Result<DirectoryFacts> look_at_directory(const std::string& path) {
  DirectoryFacts facts;
  facts.existing = path;
  while (facts.existing.size() > 1 && facts.existing.back() == '/') facts.existing.pop_back();
  while (!exists(facts.existing) && facts.existing != "/" && facts.existing != ".")
    facts.existing = parent_of(facts.existing);
  if (!is_directory(facts.existing)) return os_error(ENOTDIR, facts.existing);

  struct statfs type {};
  struct statvfs space {};
  if (::statfs(facts.existing.c_str(), &type) != 0) return last_error(facts.existing);
  if (::statvfs(facts.existing.c_str(), &space) != 0) return last_error(facts.existing);
  facts.file_system = file_system_name(static_cast<std::uint32_t>(type.f_type));
  facts.free_bytes = std::uint64_t{space.f_bavail} * space.f_frsize;
  facts.read_only = (space.f_flag & ST_RDONLY) != 0;
  facts.writable = ::faccessat(AT_FDCWD, facts.existing.c_str(), W_OK, AT_EACCESS) == 0;
  return facts;
}

std::uint64_t hard_open_files_limit() {
  rlimit limit{};
  return ::getrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_max : 0;
}

}  // namespace sf::os
