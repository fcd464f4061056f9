// Node: a process of the tree, with what it holds. It waits for requests at a named pipe.
//
//   expect    what is, is right from now on
//   check     a line for each resource: "ok", or "WRONG expected ... got ..."
//   disturb   changes every one of them
//   finish    as check, of what can be looked at only once
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "plan.h"

namespace zoo {

class Node {
 public:
  Node(const std::vector<NodePlan>& plan, std::string dir) : plan_(plan), dir_(std::move(dir)) {}
  // Makes what the plan says and all children; writes a byte to `ready` and serves. Does not
  // return.
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
  Fd set_;  // of Rest::kSet
};

}  // namespace zoo
