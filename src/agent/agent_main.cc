// statefork-agent: see agent.h. Linked statically, so that it runs in any root file system.
#include <fcntl.h>
#include <sys/reboot.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <thread>

#include "agent/agent.h"
#include "agent/agent_location.h"
#include "agent/guest_boot.h"
#include "agent/loopback.h"
#include "agent/relay.h"
#include "base/clock.h"
#include "os/file.h"
#include "shell/init/init.h"
#include "shell/init/init_channel.h"

namespace {

using sf::Status;

int complain(const std::string& what) {
  std::fprintf(stderr, "statefork-agent: %s\n", what.c_str());
  return 1;
}

int exit_code(const Status& done) { return done ? 0 : complain(done.error().describe()); }

// Exits the process when the agent stops: the sandbox ends with its PID 1.
void drive() {
  auto agent = sf::agent::Agent::listen(sf::agent::kAgentSocket);
  Status ended = agent ? (*agent)->run() : Status(std::move(agent).error());
  ::_exit(exit_code(ended));
}

// In a virtual machine the host connects through a virtio port. It may disconnect and reconnect.
void serve_port() {
  auto port = sf::agent::find_host_port();
  if (!port) ::_exit(exit_code(std::move(port).error()));
  for (;;) {
    auto in = sf::os::open_file(*port, O_RDWR | O_CLOEXEC);
    if (in) {
      sf::os::UniqueFd out(::fcntl(in->get(), F_DUPFD_CLOEXEC, 0));
      (void)sf::agent::run_relay(std::move(*in), std::move(out), sf::agent::kAgentSocket);
    }
    std::this_thread::sleep_for(sf::milliseconds(10));
  }
}

int serve(bool in_guest) {
  if (::getpid() != 1) return complain("must run as PID 1, because it reaps orphaned processes");
  if (in_guest) {
    if (Status booted = sf::agent::boot_guest(); !booted) return exit_code(booted);
  }
  if (const char* step = sf::waypoint::make_init_channel())
    return complain(std::string(step) + ": " + std::strerror(errno));
  // SIGCHLD is blocked in all threads; init reads it when it is ready.
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  ::pthread_sigmask(SIG_BLOCK, &child, nullptr);
  std::thread(drive).detach();
  if (in_guest) std::thread(serve_port).detach();
  sf::waypoint::run_init();
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view verb = argc == 2 ? argv[1] : "";
  std::signal(SIGPIPE, SIG_IGN);
  if (verb == "serve") return serve(false);
  if (verb == "boot") return serve(true);
  if (verb == "power-off") return ::reboot(RB_POWER_OFF);
  if (verb == "relay")
    return exit_code(
        sf::agent::run_relay(sf::os::UniqueFd(0), sf::os::UniqueFd(1), sf::agent::kAgentSocket));
  if (verb == "raise-loopback") return exit_code(sf::agent::raise_loopback_of_container());
  return complain("only for the sandboxes of StateFork: run `statefork-agent serve` as PID 1");
}
