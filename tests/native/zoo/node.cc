#include "node.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "looking.h"

namespace zoo {
namespace {

// State of every process: relatives, terminal, and the set of open descriptors.
class Identity : public Resource {
 public:
  void make(Chance&, const std::string&) override {}
  void look(Report& report) override {
    report.say("pid", ::getpid()).say("parent", ::getppid()).say("group", ::getpgid(0));
    report.say("session", ::getsid(0));
    std::string stat = read_whole("/proc/self/stat");
    int terminal = 0;
    int foreground = 0;
    std::sscanf(stat.c_str() + stat.rfind(')') + 1, " %*c %*d %*d %*d %d %d", &terminal,
                &foreground);
    report.say("terminal", terminal).say("descriptors", descriptors());
    report.say("threads", own_status("Threads"));
  }
  void disturb() override { ::fcntl(STDIN_FILENO, F_DUPFD, 500); }

 private:
  static std::string descriptors() {
    DIR* directory = ::opendir("/proc/self/fd");
    if (directory == nullptr) return ::strerrorname_np(errno);
    std::vector<int> numbers;
    while (const dirent* entry = ::readdir(directory))
      if (entry->d_name[0] != '.' && std::atoi(entry->d_name) != ::dirfd(directory))
        numbers.push_back(std::atoi(entry->d_name));
    ::closedir(directory);
    std::ranges::sort(numbers);
    std::string text;
    for (int number : numbers) text += std::to_string(number) + ",";
    return text;
  }
};

}  // namespace

void Node::live(std::size_t index, Fd ready) {
  index_ = index;
  make(false);
  for (std::size_t i = index + 1; i < plan_.size(); ++i)
    if (plan_[i].parent == static_cast<int>(index_)) bear(i);
  open_control();
  make(true);
  held_.push_back({"identity", std::make_unique<Identity>()});
  must(::write(ready.get(), "x", 1), "telling that all is ready");
  ready.reset();
  serve();
}

void Node::make(bool last) {
  for (const Item& item : plan_[index_].items) {
    if (item.kind.is_last != last) continue;
    Chance chance(item.seed);
    std::string label = std::to_string(item.number) + " " + std::string(item.kind.name);
    std::unique_ptr<Resource> resource = item.kind.create();
    resource->make(chance, dir_ + "/i" + std::to_string(item.number));
    held_.push_back({std::move(label), std::move(resource)});
  }
}

void Node::bear(std::size_t child) {
  int ends[2];
  must(::pipe2(ends, O_CLOEXEC), "pipe2");
  Fd told(ends[0]);
  Fd ready(ends[1]);
  Birth birth = plan_[child].birth;
  bool is_orphan = birth == Birth::kOrphan || birth == Birth::kOrphanSession;
  pid_t pid = must(::fork(), "fork");
  if (pid == 0) {
    pid_t before = 0;
    if (is_orphan) {
      before = ::getpid();
      if (must(::fork(), "fork") != 0) ::_exit(0);
    }
    told.reset();
    become_child(child, before);
    live(child, std::move(ready));
  }
  ready.reset();
  if (is_orphan) must(::waitpid(pid, nullptr, 0), "waitpid");
  for (Held& held : held_) held.resource->part(Resource::Side::kParent);
  char byte = 0;
  if (::read(told.get(), &byte, 1) != 1) die("a child that does not begin");
}

void Node::become_child(std::size_t child, pid_t before) {
  while (before != 0 && ::getppid() == before) ::usleep(1000);
  Birth birth = plan_[child].birth;
  if (birth == Birth::kGroup) must(::setpgid(0, 0), "setpgid");
  if (birth == Birth::kSession || birth == Birth::kOrphanSession) must(::setsid(), "setsid");
  for (Held& held : held_) held.resource->part(Resource::Side::kChild);
  std::erase_if(held_, [](const Held& held) { return !held.resource->is_inherited(); });
}

void Node::open_control() {
  std::string name = dir_ + "/node" + std::to_string(index_);
  for (const char* end : {".in", ".out"}) {
    must(::mkfifo((name + end).c_str(), 0600), name);
    must(::chmod((name + end).c_str(), 0666), name);
  }
  in_.reset(must(::open((name + ".in").c_str(), O_RDWR | O_CLOEXEC), name));
  out_.reset(must(::open((name + ".out").c_str(), O_RDWR | O_CLOEXEC), name));
  if (plan_[index_].rest != Rest::kSet) return;
  set_.reset(must(::epoll_create1(EPOLL_CLOEXEC), "epoll_create1"));
  epoll_event event{EPOLLIN, {}};
  must(::epoll_ctl(set_.get(), EPOLL_CTL_ADD, in_.get(), &event), "EPOLL_CTL_ADD");
}

void Node::wait_for_request() const {
  constexpr timespec kLong{100'000, 0};
  pollfd wanted{in_.get(), POLLIN, 0};
  epoll_event event{};
  fd_set set;
  FD_ZERO(&set);
  switch (plan_[index_].rest) {
    case Rest::kPoll:
      ::poll(&wanted, 1, -1);
      break;
    case Rest::kPollForLong:
      ::ppoll(&wanted, 1, &kLong, nullptr);
      break;
    case Rest::kSelect:
      if (in_.get() >= FD_SETSIZE) break;
      FD_SET(in_.get(), &set);
      ::select(in_.get() + 1, &set, nullptr, nullptr, nullptr);
      break;
    case Rest::kSet:
      ::epoll_wait(set_.get(), &event, 1, -1);
      break;
    case Rest::kRead:
      break;
  }
}

void Node::serve() {
  std::string request;
  while (true) {
    wait_for_request();
    char c = 0;
    if (::read(in_.get(), &c, 1) != 1) continue;  // interrupted
    if (c != '\n') {
      request += c;
      continue;
    }
    std::string text = answer(request) + "end\n";
    request.clear();
    std::string_view rest = text;
    while (!rest.empty()) {
      ssize_t n = ::write(out_.get(), rest.data(), rest.size());
      if (n < 0 && errno != EINTR) die("answering");
      if (n > 0) rest.remove_prefix(static_cast<std::size_t>(n));
    }
  }
}

std::string Node::answer(const std::string& request) {
  std::string text;
  for (Held& held : held_) {
    std::string line = "node" + std::to_string(index_) + " " + held.label + " ";
    if (request == "expect") {
      (void)held.resource->check();  // settles events that later resources have caused
      held.resource->expect_what_is();
      text += line + "noted\n";
    } else if (request == "disturb") {
      held.resource->disturb();
      text += line + "disturbed\n";
    } else {
      auto trouble = request == "finish" ? held.resource->finish() : held.resource->check();
      text += line + (trouble ? "WRONG " + *trouble : "ok") + "\n";
    }
  }
  return text;
}

}  // namespace zoo
