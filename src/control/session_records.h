// The records a session consists of, as they are kept: plain data, no links between them but ids.
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

// How long a session may live and how much it may hold. 0: no such bound.
struct SessionTerms {
  seconds ttl{0};               // from its creation
  seconds idle{0};              // since it was last used and nothing ran in it any more
  std::uint64_t max_bytes = 0;  // of physical snapshots
  std::uint64_t max_branches = 0;

  friend bool operator==(const SessionTerms&, const SessionTerms&) = default;
};

struct SessionRecord {
  SessionId id;
  std::string name;  // may be empty
  std::string backend;
  std::string policy;  // as make_policy() takes it
  StartConfig config;
  WallTime created;
  std::map<std::string, std::string> labels;
  SessionTerms terms;

  friend bool operator==(const SessionRecord&, const SessionRecord&) = default;
};

// What a node keeps of its physical snapshot. Nodes with one reference repeat the numbers.
struct PhysicalState {
  PhysicalRef ref;
  std::uint64_t bytes = 0;
  std::uint64_t memory_bytes = 0;
  microseconds took{0};
  microseconds stopped{0};

  friend bool operator==(const PhysicalState&, const PhysicalState&) = default;
};

// What a replay of a virtual node is compared with.
struct ReplayProof {
  std::string digest;                // Backend::digest() when the node was made
  std::optional<PhysicalRef> since;  // what it is relative to; nothing: the session's start

  friend bool operator==(const ReplayProof&, const ReplayProof&) = default;
};

using Notes = std::map<std::string, std::string>;

struct Node {
  NodeId id;
  std::string name;                       // unique in the session, or empty
  NodeId parent;                          // empty: the root
  BranchId origin;                        // the branch it was taken on
  std::optional<PhysicalState> physical;  // nothing: a virtual node
  bool unchanged = false;                 // its snapshot shares the one before
  bool quiet = false;                     // BranchFacts::is_quiet(): nothing could act by itself
  std::optional<ReplayProof> proof;       // of a virtual node
  CommandLog log;                         // from the parent to here
  Notes notes;
  WallTime created;

  bool is_root() const { return parent.empty(); }
  bool is_physical() const { return physical.has_value(); }
  friend bool operator==(const Node&, const Node&) = default;
};

struct Branch {
  BranchId id;
  NodeId node;          // where it stands
  CommandLog pending;   // done since then
  BranchHandle handle;  // the backend's word for it
  bool alive = true;    // false: the backend lost it; a restore brings it back
  WallTime created;

  friend bool operator==(const Branch&, const Branch&) = default;
};

// Ids are never used twice, so the counters outlive the records.
struct Counters {
  std::uint64_t next_node = 0;
  std::uint64_t next_branch = 1;

  friend bool operator==(const Counters&, const Counters&) = default;
};

// A session as a catalog gives it back.
struct SessionImage {
  SessionRecord session;
  Counters counters;
  std::vector<Node> nodes;  // parents before their children
  std::vector<Branch> branches;
  std::vector<std::uint64_t> diverged_commands;  // hash_text() of each, oldest first

  friend bool operator==(const SessionImage&, const SessionImage&) = default;
};

}  // namespace sf::control
