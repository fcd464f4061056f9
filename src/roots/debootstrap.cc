#include "roots/debootstrap.h"

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <deque>

#include "base/split.h"
#include "os/error.h"
#include "os/file.h"
#include "os/host_info.h"
#include "os/pipe.h"
#include "os/run_program.h"
#include "roots/sha256.h"

namespace sf::roots {
namespace {

constexpr std::size_t kShownLines = 8;
constexpr auto kAptTime = seconds(60);

bool is_word(std::string_view text, std::string_view others) {
  auto is_plain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  return !text.empty() && is_plain(text.front()) &&
         std::all_of(text.begin(), text.end(), [&](char c) {
           return is_plain(c) || others.find(c) != std::string_view::npos;
         });
}

std::string joined(std::vector<std::string> words) {
  std::ranges::sort(words);
  words.erase(std::unique(words.begin(), words.end()), words.end());
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ",") + word;
  return text;
}

Result<std::string> find_mirror(const std::string& suite) {
  auto listed = os::run_program({"/usr/bin/apt-get", "indextargets", "--format",
                                 "$(ORIGIN) $(CODENAME) $(REPO_URI)", "Created-By: Packages"},
                                Deadline::after(kAptTime));
  if (!listed || !listed->succeeded())
    return fail(ErrorCode::kNotFound, "cannot read the package sources of this machine from apt",
                "give a mirror (--mirror URL)");
  return choose_mirror(listed->text, suite);
}

std::vector<std::string> environment() {
  std::vector<std::string> env{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
                               "LC_ALL=C", "DEBIAN_FRONTEND=noninteractive"};
  for (const char* key : {"http_proxy", "https_proxy", "no_proxy", "TMPDIR"}) {
    if (const char* value = std::getenv(key)) env.push_back(std::string(key) + "=" + value);
  }
  return env;
}

// Runs the program until it exits; passes each line of its output to `on_line`.
Result<os::ExitStatus> run_by_lines(const std::vector<std::string>& argv,
                                    const std::function<void(const std::string&)>& on_line) {
  SF_TRY_ASSIGN(os::Pipe output, os::make_pipe());
  os::SpawnOptions options;
  options.argv = argv;
  options.env = environment();
  options.pass_fds = {{output.write_end.get(), 1}, {output.write_end.get(), 2}};
  options.death_signal = SIGKILL;
  SF_TRY_ASSIGN(os::Child child, os::spawn(options));
  output.write_end.reset();
  std::string pending;
  char buffer[4096];
  for (;;) {
    ssize_t n = ::read(output.read_end.get(), buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return os::last_error("reading the output of " + argv.front());
    if (n == 0) break;
    pending.append(buffer, static_cast<std::size_t>(n));
    for (std::size_t end; (end = pending.find('\n')) != std::string::npos;) {
      on_line(pending.substr(0, end));
      pending.erase(0, end + 1);
    }
  }
  if (!pending.empty()) on_line(pending);
  return child.wait(Deadline::never());
}

// Removes the downloaded packages, which are installed now.
Status remove_packages(const std::string& root) {
  const std::string archives = root + "/var/cache/apt/archives";
  auto names = os::list_directory(archives);
  if (!names) return Ok{};
  for (const std::string& name : *names) {
    if (name.ends_with(".deb") && ::unlink((archives + "/" + name).c_str()) != 0)
      return os::last_error("removing " + name);
  }
  return Ok{};
}

Status fill_root(const DebootstrapRequest& request, const std::string& root,
                 const Progress& progress) {
  auto program = os::find_program("debootstrap", "");
  if (!program)
    return fail(ErrorCode::kUnsupported, "debootstrap is not installed",
                "apt-get install debootstrap");
  // debootstrap mounts /proc and starts programs. It runs in its own namespaces, so that these end
  // with it, and it is killed when this process ends.
  std::vector<std::string> argv{"/usr/bin/unshare", "--mount",      "--pid",  "--fork",
                                "--kill-child",     "--mount-proc", *program, "--variant=minbase"};
  if (!request.packages.empty()) argv.push_back("--include=" + joined(request.packages));
  argv.insert(argv.end(), {request.suite, root, request.mirror});
  std::deque<std::string> last;
  auto on_line = [&](const std::string& line) {
    last.push_back(line);
    if (last.size() > kShownLines) last.pop_front();
    if (std::string step = step_in_line(line); !step.empty()) report(progress, {step});
  };
  SF_TRY_ASSIGN(os::ExitStatus status, run_by_lines(argv, on_line));
  if (status.shell_code() == 0) return remove_packages(root);
  std::string said;
  for (const std::string& line : last) said += "\n  " + line;
  return fail(ErrorCode::kOs, "debootstrap failed (" + status.text() + "):" + said,
              "does " + request.mirror + " have " + request.suite + "?");
}

}  // namespace

Status check_request(const DebootstrapRequest& request) {
  if (!is_word(request.suite, ".-"))
    return invalid("'" + request.suite + "' is not a suite", "use a name such as trixie");
  for (const std::string& package : request.packages) {
    if (!is_word(package, "+.-")) return invalid("'" + package + "' is not a package name");
  }
  const bool is_url = request.mirror.starts_with("http://") ||
                      request.mirror.starts_with("https://") ||
                      request.mirror.starts_with("file:///");
  if (!request.mirror.empty() && !is_url)
    return invalid("'" + request.mirror + "' is not a mirror",
                   "give its http:, https: or file: URL");
  return Ok{};
}

std::string digest_of(const DebootstrapRequest& request) {
  return sha256_of("debootstrap 1\n" + request.suite + "\n" + request.mirror + "\n" +
                   joined(request.packages) + "\n");
}

Result<std::string> choose_mirror(std::string_view targets, const std::string& suite) {
  std::string own;
  for (const std::string& line : split(targets, '\n')) {
    const std::vector<std::string> fields = split(line, ' ');
    if (fields.size() != 3) continue;
    if (fields[1] == suite) return fields[2];
    // Suites such as bookworm-security hold only updates.
    if (own.empty() && fields[0] == "Debian" && fields[1].find('-') == std::string::npos)
      own = fields[2];
  }
  if (!own.empty()) return own;
  return fail(ErrorCode::kNotFound, "apt on this machine has no Debian repository",
              "run `apt-get update`, or give a mirror (--mirror URL)");
}

std::string step_in_line(std::string_view line) {
  constexpr std::string_view kInfo = "I: ";
  return line.starts_with(kInfo) ? std::string(line.substr(kInfo.size())) : "";
}

Result<RootImage> debootstrap_root(const DebootstrapRequest& request,
                                   const PrepareOptions& options) {
  SF_TRY(check_request(request));
  DebootstrapRequest whole = request;
  if (whole.mirror.empty()) {
    SF_TRY_ASSIGN(whole.mirror, find_mirror(request.suite));
  }
  SF_TRY_ASSIGN(RootCache cache, RootCache::open(options.cache_dir));
  auto fill = [&](const std::string& root) -> Result<RootRecord> {
    SF_TRY(require_root());
    SF_TRY(fill_root(whole, root, options.progress));
    RootRecord record;
    record.source = "debootstrap " + whole.suite;
    if (!whole.packages.empty()) record.source += " with " + joined(whole.packages);
    return record;
  };
  SF_TRY_ASSIGN(RootRecord record, cache.find_or_build(digest_of(whole), fill, options.progress));
  return root_image(cache, record);
}

}  // namespace sf::roots
