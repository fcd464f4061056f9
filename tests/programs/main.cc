// stateful: holds one kind of kernel state and describes it on request. See feature.h.
//
// Requests and replies use two FIFOs that the holder keeps open for reading and writing, so that
// neither side sees an end of file or blocks in open(). A reply ends with a line that has a single
// dot.
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include "feature.h"

namespace stateful {
namespace {

constexpr int kAnswerTimeoutMs = 20'000;

std::vector<Feature> all_features() {
  std::vector<Feature> all;
  for (const auto& family :
       {memory_features(), descriptor_features(), notification_features(), socket_features(),
        unix_features(), tcp_features(), datagram_features(), terminal_features(), lock_features(),
        process_features()}) {
    all.insert(all.end(), family.begin(), family.end());
  }
  return all;
}

void make_fifo(const std::string& path) {
  must(::mkfifo(path.c_str(), 0666), "mkfifo");
  must(::chmod(path.c_str(), 0666), "chmod");  // the holder may change its user
}

void send(int fd, std::string_view text) {
  while (!text.empty()) {
    ssize_t sent = ::write(fd, text.data(), text.size());
    if (sent < 0 && errno != EINTR) die("write");
    if (sent > 0) text.remove_prefix(static_cast<std::size_t>(sent));
  }
}

// Closes the terminal in the holder and its children, since it is not part of any feature.
void leave_the_terminal(const std::string& dir) {
  int null = must(::open("/dev/null", O_RDWR | O_CLOEXEC), "/dev/null");
  int errors = must(
      ::open((dir + "/errors").c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666), "errors");
  must(::dup2(null, 0), "dup2");
  must(::dup2(null, 1), "dup2");
  must(::dup2(errors, 2), "dup2");
  ::close(null);
  ::close(errors);
}

[[noreturn]] void hold(const Feature& feature, const std::string& dir, int ready) {
  int questions = must(::open((dir + "/ask").c_str(), O_RDWR | O_CLOEXEC), "open ask");
  int answers = must(::open((dir + "/answer").c_str(), O_RDWR | O_CLOEXEC), "open answer");
  Probe probe = feature.prepare(dir);
  send(ready, "r");
  ::close(ready);
  for (;;) {
    char question = 0;
    ssize_t got = ::read(questions, &question, 1);
    if (got < 0 && errno == EINTR) continue;
    if (got != 1) die("read question");
    Answer answer;
    probe(answer);
    send(answers, answer.text() + ".\n");
  }
}

int start(const std::string& name, const std::string& dir) {
  for (const Feature& feature : all_features()) {
    if (feature.name != name) continue;
    if (::mkdir(dir.c_str(), 0777) != 0 && errno != EEXIST) die("mkdir");
    must(::chmod(dir.c_str(), 0777), "chmod");
    make_fifo(dir + "/ask");
    make_fifo(dir + "/answer");
    int ready[2];
    must(::pipe2(ready, O_CLOEXEC), "pipe");
    if (must(::fork(), "fork") == 0) {
      must(::setsid(), "setsid");
      leave_the_terminal(dir);
      hold(feature, dir, ready[1]);
    }
    ::close(ready[1]);
    char byte = 0;
    if (::read(ready[0], &byte, 1) == 1) return 0;
    send(2, read_whole_file(dir + "/errors"));  // end of file means that preparing failed
    return 1;
  }
  std::fprintf(stderr, "stateful: no feature %s\n", name.c_str());
  return 2;
}

int ask(const std::string& dir) {
  int questions = ::open((dir + "/ask").c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
  if (questions < 0) die("nobody answers");
  int answers = must(::open((dir + "/answer").c_str(), O_RDONLY | O_CLOEXEC), "open answer");
  send(questions, "?");
  std::string text;
  while (text != ".\n" && !text.ends_with("\n.\n")) {
    pollfd wanted{answers, POLLIN, 0};
    if (::poll(&wanted, 1, kAnswerTimeoutMs) != 1) {
      std::fprintf(stderr, "stateful: no answer in time\n");
      return 1;
    }
    char buffer[4096];
    ssize_t got = ::read(answers, buffer, sizeof buffer);
    if (got <= 0) die("the holder is gone");
    text.append(buffer, static_cast<std::size_t>(got));
  }
  text.resize(text.size() - 2);
  send(1, text);
  return 0;
}

int run(const std::vector<std::string>& words) {
  if (words.size() == 3 && words[0] == "start") return start(words[1], words[2]);
  if (words.size() == 2 && words[0] == "ask") return ask(words[1]);
  if (words.size() == 1 && words[0] == "list") {
    for (const Feature& feature : all_features())
      std::printf("%s\n", std::string(feature.name).c_str());
    return 0;
  }
  std::fprintf(stderr, "usage: stateful start <feature> <dir> | ask <dir> | list\n");
  return 2;
}

}  // namespace
}  // namespace stateful

int main(int argc, char** argv) { return stateful::run({argv + 1, argv + argc}); }
