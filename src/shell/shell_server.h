// ShellServer: what clients may ask of a hosted shell: commands, one after another; commands beside
// it; keys, screen and window; all that the terminal prints; files. Waypoint's keeper and the agent
// inside other substrates answer with it.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "base/input_events.h"
#include "base/result.h"
#include "shell/shell_host.h"
#include "terminal/query_scanner.h"
#include "wire/operations.h"

namespace sf::waypoint {

class ShellServer {
 public:
  // What runs besides the shell.
  using ListBackground = std::function<ProcessSet()>;
  // Called when a command begins and when it has ended.
  using OnBusy = std::function<void(bool)>;

  ShellServer(ShellHost& host, ChangeGate& gate, ListBackground list_background, OnBusy on_busy);
  ~ShellServer();
  ShellServer(const ShellServer&) = delete;
  ShellServer& operator=(const ShellServer&) = delete;

  // Answers, now or later. An error, or a request it does not know, is left to the caller.
  Status serve(const ClientPtr& client, wire::Frame frame) const {
    return operations_.serve(client, std::move(frame));
  }
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

  // Keys, mouse and pastes that wait until the shell shows its prompt: only then are the modes
  // known in which they are typed.
  struct WaitingInput {
    ClientPtr client;
    InputEvents input;
  };

  Status exec(const ClientPtr& client, wire::ExecCall call);
  void run_now(WaitingExec next);
  // Whether something runs besides the shell that did not when it was asked last.
  bool has_new_background();
  Status side_exec(const ClientPtr& client, wire::SideExecCall call);
  Status type(const ClientPtr& client, std::string_view bytes);
  Status input(const ClientPtr& client, wire::InputCall call);
  Status keys(const ClientPtr& client, wire::KeysCall call);
  // kBusy: too much waits already, and nothing of it was typed.
  Status await_prompt(WaitingInput next);
  void type_waiting();
  void return_prompt();
  Status screen(const ClientPtr& client, wire::ScreenCall call);
  Status write_file(const ClientPtr& client, wire::WriteFileCall call);
  Status read_file(const ClientPtr& client, wire::ReadFileCall call);
  Status resize(const ClientPtr& client, wire::ResizeCall call);
  Status watch(const ClientPtr& client, wire::WatchCall call);
  struct Watcher {
    ClientPtr client;
    QueryFilter filter;  // the questions are answered here, not by who looks
  };
  static void paint(Watcher& watcher, Screen& screen);
  void show(std::string_view bytes);

  Operations operations_;
  ShellHost& host_;
  ChangeGate& gate_;
  ListBackground list_background_;
  OnBusy on_busy_;
  std::optional<ProcessSet> background_;  // when the last command had ended
  std::deque<WaitingExec> waiting_;
  std::deque<WaitingInput> inputs_;
  std::size_t input_bytes_ = 0;    // of them
  std::vector<Watcher> watchers_;  // of the terminal
  bool wants_prompt_ = false;      // one of them types: the prompt comes back after each command
  Deadline prompt_due_ = Deadline::never();
};

}  // namespace sf::waypoint
