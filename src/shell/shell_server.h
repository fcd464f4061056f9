// ShellServer: serves the requests of clients to a hosted shell: commands, one after another; side
// commands; keys, screen and window size; the terminal's output; files. Used by Waypoint's keeper
// and by the agent in other substrates.
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
  // The processes besides the branch's own (OwnProcesses).
  using ListBackground = std::function<ProcessSet()>;
  // Called when a command begins and when it has ended.
  using OnBusy = std::function<void(bool)>;

  ShellServer(ShellHost& host, ChangeGate& gate, ListBackground list_background, OnBusy on_busy);
  ~ShellServer();
  ShellServer(const ShellServer&) = delete;
  ShellServer& operator=(const ShellServer&) = delete;

  // Answers the request now or later. If it returns an error, the caller must send it.
  Status serve(const ClientPtr& client, wire::Frame frame) const {
    return operations_.serve(client, std::move(frame));
  }
  // Starts the next command if the shell is ready. Refuses commands that have waited too long for
  // the terminal.
  void run_waiting();
  void on_time() { host_.on_time(); }
  Deadline next_wake() const;

 private:
  struct WaitingExec {
    ClientPtr client;
    ExecRequest request;
    bool stream = false;
    Deadline patience = Deadline::never();
    bool started_shell = false;  // no shell was running; one start was tried for this command
  };

  // Keys, mouse events and pastes that wait until the shell shows its prompt: their encoding
  // depends on the terminal's modes at that time.
  struct WaitingInput {
    ClientPtr client;
    InputEvents input;
  };

  Status exec(const ClientPtr& client, wire::ExecCall call);
  void run_now(WaitingExec next);
  // Whether a background process was started since the last call.
  bool has_new_background();
  Status side_exec(const ClientPtr& client, wire::SideExecCall call);
  Status type(const ClientPtr& client, std::string_view bytes);
  Status input(const ClientPtr& client, wire::InputCall call);
  Status keys(const ClientPtr& client, wire::KeysCall call);
  // kBusy: too much input waits already; nothing was typed.
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
    QueryFilter filter;  // removes queries: the server answers them, not the watcher's terminal
  };
  static void paint(Watcher& watcher, Screen& screen);
  void show(std::string_view bytes);

  Operations operations_;
  ShellHost& host_;
  ChangeGate& gate_;
  ListBackground list_background_;
  OnBusy on_busy_;
  std::optional<ProcessSet> background_;  // at the end of the last command
  std::deque<WaitingExec> waiting_;
  std::deque<WaitingInput> inputs_;
  std::size_t input_bytes_ = 0;    // approximate size of inputs_
  std::vector<Watcher> watchers_;  // of the terminal
  bool wants_prompt_ = false;      // a watcher types: show the prompt again after each command
  Deadline prompt_due_ = Deadline::never();
};

}  // namespace sf::waypoint
