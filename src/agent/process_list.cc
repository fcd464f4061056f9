#include "agent/process_list.h"

#include <cctype>
#include <cstdlib>
#include <string>
#include <string_view>

#include "os/file.h"
#include "os/process.h"

namespace sf::agent {
namespace {

std::uint64_t kilobytes(const std::string& status, const std::string& field) {
  std::size_t at = status.find("\n" + field + ":");
  return at == std::string::npos
             ? 0
             : std::strtoull(status.c_str() + at + field.size() + 2, nullptr, 10) * 1024;
}

// gVisor reports only the sum.
std::uint64_t resident_bytes(const std::string& status) {
  if (status.find("\nRssAnon:") == std::string::npos) return kilobytes(status, "VmRSS");
  return kilobytes(status, "RssAnon") + kilobytes(status, "RssShmem");
}

// In a virtual machine /proc also lists kernel threads: the children of "kthreadd".
bool is_kernel_thread(const std::string& status) {
  constexpr std::string_view kParent = "\nPPid:\t2\n";
  if (status.starts_with("Name:\tkthreadd\n")) return true;
  return status.find(kParent) != std::string::npos && os::process_name(2) == "kthreadd";
}

}  // namespace

std::vector<ListedProcess> list_processes() {
  std::vector<ListedProcess> found;
  auto names = os::list_directory("/proc");
  if (!names) return found;
  auto own = os::read_link("/proc/self/exe");
  for (const std::string& name : *names) {
    if (std::isdigit(static_cast<unsigned char>(name.front())) == 0) continue;
    auto key = os::process_key(std::atoi(name.c_str()));
    auto status = os::read_file("/proc/" + name + "/status");
    if (!key || !status || is_kernel_thread(*status)) continue;
    // Skips the agent, its relay, and the holder of its descriptors.
    auto program = os::read_link("/proc/" + name + "/exe");
    if (program && own && *program == *own) continue;
    std::size_t state = status->find("\nState:\t");
    char letter = state == std::string::npos ? 'X' : (*status)[state + 8];
    found.push_back(
        {key->pid, key->start_time, letter == 'Z' || letter == 'X', resident_bytes(*status)});
  }
  return found;
}

}  // namespace sf::agent
