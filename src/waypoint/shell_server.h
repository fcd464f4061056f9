// ShellServer: what clients may ask of a hosted shell: commands, one after another; commands beside
// it; keys, screen and window; all that the terminal prints; files. Waypoint's keeper and the agent
// inside other substrates answer with it.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "waypoint/keeper_server.h"
#include "waypoint/shell_host.h"
#include "waypoint/terminal/query_scanner.h"

namespace sf::waypoint {

using ClientPtr = std::shared_ptr<Client>;

class ShellServer {
 public:
  // Called when a command begins and when it has ended.
  using OnBusy = std::function<void(bool)>;

  ShellServer(ShellHost& host, ChangeGate& gate, OnBusy on_busy);
  ~ShellServer();
  ShellServer(const ShellServer&) = delete;
  ShellServer& operator=(const ShellServer&) = delete;

  // Answers, now or later. An error, or a request it does not know, is left to the caller.
  Status serve(const ClientPtr& client, wire::Frame& frame);
  // Commands that may begin now; those that waited too long for the terminal are refused.
  void run_waiting();
  void on_time() { host_.on_time(); }
  Deadline next_wake() const;

 private:
  struct WaitingExec {
    ClientPtr client;
    ExecRequest request;
    bool stream = false;
    Deadline patience = Deadline::never();
    bool started_shell = false;  // there was none; tried once for this command
  };

  Status exec(const ClientPtr& client, wire::Frame& frame);
  void run_now(WaitingExec next);
  Status side_exec(const ClientPtr& client, wire::Frame& frame);
  Status type(const ClientPtr& client, std::string_view bytes);
  Status input(const ClientPtr& client, const wire::Frame& frame);
  Status screen(const ClientPtr& client, const wire::Frame& frame);
  Status write_file(const ClientPtr& client, const wire::Frame& frame);
  Status read_file(const ClientPtr& client, const wire::Frame& frame);
  Status resize(const ClientPtr& client, const wire::Frame& frame);
  struct Watcher {
    ClientPtr client;
    QueryFilter filter;  // the questions are answered here, not by who looks
  };
  static void paint(Watcher& watcher, Screen& screen);
  void show(std::string_view bytes);

  ShellHost& host_;
  ChangeGate& gate_;
  OnBusy on_busy_;
  std::deque<WaitingExec> waiting_;
  std::vector<Watcher> watchers_;  // of the terminal
};

}  // namespace sf::waypoint
