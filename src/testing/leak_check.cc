#include "testing/leak_check.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <thread>

#include "os/file.h"

namespace sf::test {
namespace {

namespace fs = std::filesystem;

std::string slurp(const fs::path& path) {
  auto text = os::read_file(path, 256U << 20U);  // a process may end while its files are read
  return text ? *text : std::string();
}

std::vector<fs::path> entries(const fs::path& path) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator it(path, error), end; !error && it != end; it.increment(error)) {
    found.push_back(it->path());
  }
  return found;
}

std::set<std::string> lines(const std::string& text) {
  std::set<std::string> found;
  std::size_t start = 0;
  while (start < text.size()) {
    std::size_t end = std::min(text.find('\n', start), text.size());
    found.insert(text.substr(start, end - start));
    start = end + 1;
  }
  return found;
}

std::set<std::string> read_loop_devices() {
  std::set<std::string> found;
  for (const fs::path& device : entries("/sys/block")) {
    std::string file = slurp(device / "loop/backing_file");
    if (!file.empty())
      found.insert(device.filename().string() + " " + file.substr(0, file.find('\n')));
  }
  return found;
}

std::set<std::string> read_cgroups() {
  std::set<std::string> found;
  auto collect = [&found](const fs::path& hierarchy) {
    for (const fs::path& group : entries(hierarchy / "statefork")) {
      std::error_code error;
      if (fs::is_directory(group, error)) found.insert(group.string());
    }
  };
  collect("/sys/fs/cgroup");
  for (const fs::path& hierarchy : entries("/sys/fs/cgroup")) collect(hierarchy);
  return found;
}

std::set<std::string> read_processes() {
  std::set<std::string> found;
  for (const fs::path& process : entries("/proc")) {
    std::string pid = process.filename().string();
    if (pid.find_first_not_of("0123456789") != std::string::npos) continue;
    std::string command = slurp(process / "cmdline");
    std::replace(command.begin(), command.end(), '\0', ' ');
    std::string groups = slurp(process / "cgroup");
    std::replace(groups.begin(), groups.end(), '\n', ' ');
    found.insert(pid + " " + command + " in " + groups);
  }
  return found;
}

void report(const std::string& kind, const std::set<std::string>& before,
            const std::set<std::string>& after, const std::vector<std::string>& marks,
            std::vector<std::string>& found) {
  for (const std::string& entry : after) {
    bool ours = std::any_of(marks.begin(), marks.end(), [&entry](const std::string& mark) {
      return !mark.empty() && entry.find(mark) != std::string::npos;
    });
    if (ours && !before.contains(entry)) found.push_back(kind + ": " + entry);
  }
}

}  // namespace

HostState read_host_state() {
  HostState state;
  state.mounts = lines(slurp("/proc/self/mountinfo"));
  state.loop_devices = read_loop_devices();
  state.cgroups = read_cgroups();
  state.processes = read_processes();
  for (const fs::path& entry : entries("/dev/shm")) {
    state.shared_memory.insert(entry.filename().string());
  }
  return state;
}

std::vector<std::string> leaks(const HostState& before, const HostState& after,
                               const std::vector<std::string>& marks) {
  std::vector<std::string> found;
  report("mount", before.mounts, after.mounts, marks, found);
  report("loop device", before.loop_devices, after.loop_devices, marks, found);
  report("cgroup", before.cgroups, after.cgroups, marks, found);
  report("process", before.processes, after.processes, marks, found);
  report("shared memory", before.shared_memory, after.shared_memory, {"sf-"}, found);
  return found;
}

void LeakCheck::verify(Deadline deadline) const {
  std::vector<std::string> left = leaks(before_, read_host_state(), marks_);
  while (!left.empty() && !deadline.passed()) {
    std::this_thread::sleep_for(milliseconds(20));
    left = leaks(before_, read_host_state(), marks_);
  }
  for (const std::string& leak : left) ADD_FAILURE() << "left behind on the host: " << leak;
}

}  // namespace sf::test
