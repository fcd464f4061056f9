// Node: a process of the tree with its resources. It reads requests from a FIFO:
//
//   expect    records the current state as the expected state
//   check     one line for each resource: "ok", or "WRONG expected ... got ..."
//   disturb   changes every resource
//   finish    like check, for state that a check consumes
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "plan.h"

namespace zoo {

class Node {
 public:
  Node(const std::vector<NodePlan>& plan, std::string dir) : plan_(plan), dir_(std::move(dir)) {}
  // Makes the planned resources and all children, writes a byte to `ready` and serves requests.
  // Does not return.
  [[noreturn]] void live(std::size_t index, Fd ready);

 private:
  struct Held {
    std::string label;
    std::unique_ptr<Resource> resource;
  };
  void make(bool last);
  void bear(std::size_t child);
  void become_child(std::size_t child, pid_t before);
  void open_control();
  [[noreturn]] void serve();
  void wait_for_request() const;
  std::string answer(const std::string& request);

  const std::vector<NodePlan>& plan_;
  std::string dir_;
  std::size_t index_ = 0;
  std::vector<Held> held_;
  Fd in_;
  Fd out_;
  Fd set_;  // used by Rest::kSet
};

}  // namespace zoo
