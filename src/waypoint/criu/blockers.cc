#include "waypoint/criu/blockers.h"

#include <algorithm>
#include <array>
#include <sstream>
#include <string_view>

#include "os/file.h"
#include "os/process.h"

namespace sf::waypoint {
namespace {

struct Rule {
  std::string_view target;  // how the descriptor's link begins
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
    Rule{"anon_inode:[fanotify]", "fanotify", "pending fanotify state cannot be captured",
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

std::string number_after(const std::string& text, std::string_view key) {
  std::size_t at = text.find(key);
  if (at == std::string::npos) return {};
  std::istringstream rest(text.substr(at + key.size()));
  std::string word;
  rest >> word;
  return word;
}

std::string list(const std::vector<Blocker>& blockers) {
  std::string text;
  for (const Blocker& b : blockers) {
    if (!text.empty()) text += "; ";
    text += "process " + std::to_string(b.pid) + " (" + b.process + "), " + b.what + ": " + b.why;
  }
  return text;
}

}  // namespace

std::vector<Blocker> find_blockers(const std::vector<ProcessFacts>& processes) {
  std::vector<Blocker> blockers;
  for (const ProcessFacts& p : processes) {
    auto add = [&](std::string what, std::string_view why, std::string_view advice) {
      blockers.push_back({p.pid, p.name, std::move(what), std::string(why), std::string(advice)});
    };
    if (p.tracer != 0)
      add("traced by another process", "a process under strace, gdb or ptrace cannot be captured",
          "end the tracer first");
    if (p.own_user_namespace)
      add("its own user namespace", "nested user namespaces cannot be captured",
          "end that process first");
    else if (p.own_pid_namespace)
      add("its own PID namespace", "nested PID namespaces cannot be captured",
          "end that process first");
    if (p.session_leader_gone)
      add("its session's leader has ended", "CRIU cannot bring back a session without its leader",
          "start it with setsid, or end it first");
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

std::string first_errors(const std::string& log, std::size_t max_lines) {
  std::istringstream lines(log);
  std::string text;
  std::size_t found = 0;
  for (std::string line; std::getline(lines, line) && found < max_lines;) {
    std::size_t at = line.find("Error (");
    if (at == std::string::npos) continue;
    std::size_t message = line.find("): ", at);
    if (!text.empty()) text += "; ";
    text += message == std::string::npos ? line.substr(at) : line.substr(message + 3);
    ++found;
  }
  return text;
}

std::vector<ProcessFacts> read_process_facts(pid_t root) {
  std::vector<ProcessFacts> all;
  std::string root_proc = "/proc/" + std::to_string(root);
  auto root_user = os::read_link(root_proc + "/ns/user");
  auto root_pid = os::read_link(root_proc + "/ns/pid");
  std::vector<pid_t> pids = os::process_tree(root);
  std::vector<std::string> sessions;
  std::vector<std::string> leaders;
  for (pid_t pid : pids) {
    std::string proc = "/proc/" + std::to_string(pid);
    ProcessFacts facts;
    facts.pid = os::namespace_pid(pid).value_or(0);
    facts.name = os::process_name(pid);
    auto status = os::read_file(proc + "/status");
    if (!status) continue;
    std::string tracer = number_after(*status, "TracerPid:");
    facts.tracer = tracer.empty() ? 0 : static_cast<pid_t>(std::stol(tracer));
    auto user = os::read_link(proc + "/ns/user");
    auto pid_ns = os::read_link(proc + "/ns/pid");
    facts.own_user_namespace = user && root_user && *user != *root_user;
    facts.own_pid_namespace = pid_ns && root_pid && *pid_ns != *root_pid;
    std::istringstream sids(status->substr(std::min(status->find("NSsid:"), status->size())));
    std::string key;
    std::string sid;
    std::string line;
    std::getline(sids, line);
    std::istringstream words(line);
    words >> key;
    while (words >> sid) {
    }
    sessions.push_back(sid);
    leaders.push_back(std::to_string(facts.pid));
    auto numbers = os::list_directory(proc + "/fd");
    if (numbers) {
      for (const std::string& number : *numbers) {
        auto target = os::read_link(proc + "/fd/" + number);
        if (target) facts.descriptors.push_back({std::stoi(number), *target});
      }
    }
    all.push_back(std::move(facts));
  }
  for (std::size_t i = 0; i < all.size(); ++i)
    all[i].session_leader_gone = std::ranges::find(leaders, sessions[i]) == leaders.end();
  return all;
}

Error explain_capture_failure(pid_t root, const std::string& log_path) {
  std::vector<Blocker> blockers = find_blockers(read_process_facts(root));
  if (!blockers.empty())
    return fail(ErrorCode::kUnsupported, "cannot capture " + list(blockers),
                blockers.front().advice);
  auto log = os::read_file(log_path, 64U << 20U);
  std::string said = log ? first_errors(*log, 3) : std::string();
  return fail(ErrorCode::kUnsupported,
              "cannot capture the processes: " + (said.empty() ? "CRIU gave no reason" : said),
              "the branch goes on unharmed; end the process named above and try again");
}

Error explain_restore_failure(const std::string& log_path) {
  auto log = os::read_file(log_path, 64U << 20U);
  std::string said = log ? first_errors(*log, 3) : std::string();
  return fail(
      ErrorCode::kOs,
      "CRIU could not bring the processes back: " + (said.empty() ? "no reason given" : said),
      "details: " + log_path);
}

}  // namespace sf::waypoint
