#include "engine/criu/criu_blockers.h"

#include <array>
#include <charconv>
#include <iterator>
#include <sstream>
#include <string_view>

#include "os/file.h"
#include "os/process.h"

namespace sf::waypoint {
namespace {

struct Rule {
  std::string_view target;  // prefix of the descriptor's link
  std::string_view name;
  std::string_view why;
  std::string_view advice;
};

constexpr std::array kDescriptorRules = {
    Rule{"anon_inode:[io_uring]", "io_uring", "CRIU cannot capture io_uring",
         "end that process, or run it without io_uring (for node: UV_USE_IO_URING=0)"},
    Rule{"anon_inode:[userfaultfd]", "userfaultfd",
         "memory handled by userfaultfd cannot be captured", "end that process first"},
    Rule{"anon_inode:[perf_event]", "perf event", "performance counters cannot be captured",
         "end that process first"},
    Rule{"anon_inode:bpf-", "BPF object", "BPF objects cannot be captured",
         "end that process first"},
    Rule{"anon_inode:[landlock", "landlock ruleset", "Landlock rules cannot be captured",
         "end that process first"},
    Rule{"/secretmem", "secret memory", "secret memory cannot be read from outside",
         "end that process first"},
    Rule{"/dev/fuse", "FUSE", "file systems served by a process cannot be captured",
         "unmount it and end that process"},
    Rule{"/dev/kvm", "KVM", "virtual machines cannot be captured", "end that process first"},
    Rule{"/dev/nvidia", "GPU", "device memory cannot be captured", "end that process first"},
    Rule{"/dev/dri", "GPU", "device memory cannot be captured", "end that process first"},
};

// The words of the line that begins with `key`.
std::vector<std::string> words_after(const std::string& text, std::string_view key) {
  std::size_t at = text.starts_with(key) ? 0 : text.find("\n" + std::string(key));
  if (at == std::string::npos) return {};
  at = text.find(key, at) + key.size();
  std::istringstream line(text.substr(at, text.find('\n', at) - at));
  return {std::istream_iterator<std::string>(line), {}};
}

std::string status_of(const std::string& pid) {
  auto text = os::read_file("/proc/" + pid + "/status");
  return text ? *text : std::string();
}

std::string describe_tracer(const std::string& status, std::size_t levels) {
  std::vector<std::string> tracer = words_after(status, "TracerPid:");
  if (tracer.empty() || tracer[0] == "0") return {};
  std::string its_status = status_of(tracer[0]);
  auto pid = pid_in_branch(its_status, levels);
  if (!pid) return "a process outside the branch";
  std::vector<std::string> name = words_after(its_status, "Name:");
  return "process " + std::to_string(*pid) + " (" + (name.empty() ? "?" : name[0]) + ")";
}

std::vector<ProcessFacts::Descriptor> read_descriptors(const std::string& proc) {
  std::vector<ProcessFacts::Descriptor> all;
  auto numbers = os::list_directory(proc + "/fd");
  if (!numbers) return all;
  for (const std::string& number : *numbers) {
    auto target = os::read_link(proc + "/fd/" + number);
    if (target) all.push_back({std::stoi(number), *target});
  }
  return all;
}

}  // namespace

std::vector<Blocker> find_blockers(const std::vector<ProcessFacts>& processes) {
  std::vector<Blocker> blockers;
  for (const ProcessFacts& p : processes) {
    auto add = [&](std::string what, std::string_view why, std::string_view advice) {
      blockers.push_back({p.pid, p.name, std::move(what), std::string(why), std::string(advice)});
    };
    if (!p.tracer.empty())
      add("traced by " + p.tracer, "a process under strace, gdb or ptrace cannot be captured",
          "end the tracer first");
    if (p.own_user_namespace)
      add("its own user namespace", "nested user namespaces cannot be captured",
          "end that process first");
    else if (p.own_pid_namespace)
      add("its own PID namespace", "nested PID namespaces cannot be captured",
          "end that process first");
    for (const ProcessFacts::Descriptor& fd : p.descriptors) {
      for (const Rule& rule : kDescriptorRules) {
        if (!fd.target.starts_with(rule.target)) continue;
        add("descriptor " + std::to_string(fd.number) + " (" + std::string(rule.name) + ")",
            rule.why, rule.advice);
        break;
      }
    }
  }
  return blockers;
}

std::vector<Blocker> find_controlling_terminals(const std::vector<ProcessFacts>& processes) {
  std::vector<Blocker> blockers;
  for (const ProcessFacts& p : processes) {
    for (const ProcessFacts::Descriptor& fd : p.descriptors) {
      if (fd.target != "/dev/tty") continue;
      blockers.push_back({p.pid, p.name, "descriptor " + std::to_string(fd.number) + " (/dev/tty)",
                          "CRIU cannot capture a controlling terminal opened by this name",
                          "end that process, or use the native engine"});
    }
  }
  return blockers;
}

std::string first_errors(const std::string& log, std::size_t max_lines) {
  std::istringstream lines(log);
  std::string text;
  std::size_t found = 0;
  for (std::string line; std::getline(lines, line) && found < max_lines;) {
    std::size_t at = line.find("Error (");
    if (at == std::string::npos) continue;
    std::size_t begin = line.find("): ", at);
    std::string message = line.substr(begin == std::string::npos ? at : begin + 3);
    if (message.starts_with("rlimit: ")) continue;  // CRIU continues with its present limit
    text += (text.empty() ? "" : "; ") + message;
    ++found;
  }
  return text;
}

std::optional<pid_t> pid_in_branch(const std::string& status, std::size_t levels) {
  std::vector<std::string> pids = words_after(status, "NSpid:");
  if (levels == 0 || pids.size() < levels) return std::nullopt;
  const std::string& digits = pids[levels - 1];
  const char* end = digits.data() + digits.size();
  pid_t pid = 0;
  auto [stop, error] = std::from_chars(digits.data(), end, pid);
  if (error != std::errc() || stop != end || pid <= 0) return std::nullopt;
  return pid;
}

std::vector<ProcessFacts> read_process_facts(pid_t root) {
  std::vector<ProcessFacts> all;
  std::string root_proc = "/proc/" + std::to_string(root);
  auto root_user = os::read_link(root_proc + "/ns/user");
  auto root_pid = os::read_link(root_proc + "/ns/pid");
  std::size_t levels = words_after(status_of(std::to_string(root)), "NSpid:").size();
  for (pid_t pid : os::process_tree(root)) {
    std::string proc = "/proc/" + std::to_string(pid);
    std::string status = status_of(std::to_string(pid));
    auto user = os::read_link(proc + "/ns/user");
    auto pid_space = os::read_link(proc + "/ns/pid");
    ProcessFacts facts;
    facts.pid = pid_in_branch(status, levels).value_or(0);
    facts.name = os::process_name(pid);
    facts.tracer = describe_tracer(status, levels);
    facts.own_user_namespace = user && root_user && *user != *root_user;
    facts.own_pid_namespace = pid_space && root_pid && *pid_space != *root_pid;
    facts.descriptors = read_descriptors(proc);
    if (!status.empty()) all.push_back(std::move(facts));
  }
  return all;
}

Error explain_capture_failure(pid_t root, const std::string& log_path) {
  auto log = os::read_file(log_path, 64U << 20U);
  std::string said = log ? first_errors(*log, 3) : std::string();
  const std::vector<ProcessFacts> processes = read_process_facts(root);
  std::vector<Blocker> blockers = find_blockers(processes);
  if (blockers.empty() && said.find("ctty inheritance") != std::string::npos)
    blockers = find_controlling_terminals(processes);
  if (!blockers.empty())
    return refuse_capture(blockers, said.empty() ? "" : " [CRIU: " + said + "]");
  return fail(ErrorCode::kUnsupported,
              "cannot capture the processes: " + (said.empty() ? "CRIU gave no reason" : said),
              "the branch keeps running; end the process named above and try again");
}

Error explain_restore_failure(const std::string& log_path) {
  auto log = os::read_file(log_path, 64U << 20U);
  std::string said = log ? first_errors(*log, 3) : std::string();
  return fail(ErrorCode::kOs,
              "CRIU could not restore the processes: " + (said.empty() ? "no reason given" : said),
              "details: " + log_path);
}

}  // namespace sf::waypoint
