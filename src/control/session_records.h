// The records of a session, as a catalog keeps them: plain data that refers to other records by id.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "control/command_log.h"
#include "control/names.h"
#include "control/start_config.h"

namespace sf::control {

// Limits on a session's lifetime and size. 0: no limit.
struct SessionTerms {
  seconds ttl{0};               // from its creation
  seconds idle{0};              // since its last use, while nothing runs in it
  std::uint64_t max_bytes = 0;  // of physical snapshots
  std::uint64_t max_branches = 0;

  friend bool operator==(const SessionTerms&, const SessionTerms&) = default;
};

struct SessionRecord {
  SessionId id;
  std::string name;  // may be empty
  std::string backend;
  std::string policy;  // a name that make_policy() accepts
  StartConfig config;
  WallTime created;
  std::map<std::string, std::string> labels;
  SessionTerms terms;

  friend bool operator==(const SessionRecord&, const SessionRecord&) = default;
};

// A node's physical snapshot. Nodes that share one reference repeat the numbers.
struct PhysicalState {
  PhysicalRef ref;
  std::uint64_t bytes = 0;
  std::uint64_t memory_bytes = 0;
  microseconds took{0};
  microseconds stopped{0};

  friend bool operator==(const PhysicalState&, const PhysicalState&) = default;
};

// The expected result of a replay of a virtual node.
struct ReplayProof {
  std::string digest;                // Backend::digest() when the node was made
  std::optional<PhysicalRef> since;  // the base of the digest; nullopt: the session's start

  friend bool operator==(const ReplayProof&, const ReplayProof&) = default;
};

using Notes = std::map<std::string, std::string>;

struct Node {
  NodeId id;
  std::string name;                       // unique in the session, or empty
  NodeId parent;                          // empty for the root
  BranchId origin;                        // the branch that the snapshot was taken of
  std::optional<PhysicalState> physical;  // nullopt: a virtual node
  bool unchanged = false;                 // its snapshot is the previous node's
  bool quiet = false;                     // BranchFacts::is_quiet(): no process could act
  std::optional<ReplayProof> proof;       // set for a virtual node
  CommandLog log;                         // from the parent to this node
  Notes notes;
  WallTime created;

  bool is_root() const { return parent.empty(); }
  bool is_physical() const { return physical.has_value(); }
  friend bool operator==(const Node&, const Node&) = default;
};

struct Branch {
  BranchId id;
  NodeId node;          // the current node
  CommandLog pending;   // operations since that node
  BranchHandle handle;  // the backend's id
  bool alive = true;    // false: the backend lost it; a restore revives it
  WallTime created;

  friend bool operator==(const Branch&, const Branch&) = default;
};

// Ids are never reused, so the counters outlive the records.
struct Counters {
  std::uint64_t next_node = 0;
  std::uint64_t next_branch = 1;

  friend bool operator==(const Counters&, const Counters&) = default;
};

// A session as it is loaded from a catalog.
struct SessionImage {
  SessionRecord session;
  Counters counters;
  std::vector<Node> nodes;  // parents before their children
  std::vector<Branch> branches;
  std::vector<std::uint64_t> diverged_commands;  // hash_text() of each, oldest first

  friend bool operator==(const SessionImage&, const SessionImage&) = default;
};

}  // namespace sf::control
