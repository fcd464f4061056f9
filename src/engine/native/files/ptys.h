// Terminals created in the branch (tmux, script, sshd): masters, and slaves other than /dev/pts/0.
//
// Saved: number, settings, window, owner, packet mode, lock, session and foreground group, and
// unread data (pty_data.h). Restored: init opens masters until each has its number, sets them up
// before any session exists, and opens the slaves. Session leaders acquire theirs as they acquire
// the branch's own (controlling_terminal.h). A helper process that has the terminal as its
// controlling one opens /dev/tty. Slaves with a closed master are opened before their master is
// closed again. Declined: a slave with a master outside the tree, more input than a terminal holds,
// unread changes of packet mode, other line disciplines.
#pragma once

#include <vector>

#include "base/result.h"
#include "engine/native/files/fd_locations.h"
#include "engine/native/image.h"
#include "engine/native/program/program_writer.h"

namespace sf::waypoint::native {

struct ProcessFacts;
struct TreeFacts;
struct DescriptorFacts;

// Facts about a descriptor of a terminal.
struct PtyFacts {
  enum class End { kNeither, kMaster, kSlave, kOwn };  // kOwn: /dev/tty
  End end = End::kNeither;
  int number = -1;
  bool has_master = false;  // in the tree
  bool is_dead = false;     // a slave with a closed master
  int unread = 0;
  bool has_status = false;  // unread packet mode status
  bool is_exclusive = false;
  bool is_edited_outside = false;  // EXTPROC
  bool reads_with_time = false;    // VTIME: reads have a time limit
  int discipline = 0;
  bool operator==(const PtyFacts&) const = default;
};

// Pure. The terminal's number from its device number in /proc/pid/stat; -1: not a devpts terminal.
int terminal_number(std::int64_t device);
// Pure. The master's number from its fdinfo; -1: not shown.
int master_number(const std::string& info);
// Pure. True if the descriptor belongs to a terminal that this file handles.
bool is_pty(const DescriptorFacts& fd);
// `copy`: a copy of the descriptor.
PtyFacts read_pty(const DescriptorFacts& fd, int copy);
// Pure. Finds the slaves that have their masters in the tree.
void tie_ptys(std::vector<ProcessFacts>& processes);
// Pure. Why it cannot be captured; empty: it can.
std::string pty_trouble(const PtyFacts& pty);

Status capture_ptys(const TreeFacts& facts, TreeImage& tree);
// `number` 0: the branch's own terminal.
const TerminalImage& terminal_of(const TreeImage& tree, int number);
std::string terminal_path(int number);

// Run by init, before open_masters(). Requires: the branch's own terminal has number 0.
void open_dead_terminals(ProgramWriter& program, const TreeImage& tree,
                         const FdLocations& locations);
// Run by init. Requires: the branch's own terminal exists and has number 0.
void open_masters(ProgramWriter& program, const TreeImage& tree, const FdLocations& locations);
// Run by init once the slaves are open.
void finish_ptys(ProgramWriter& program, const TreeImage& tree, const FdLocations& locations,
                 std::uint64_t failure);

}  // namespace sf::waypoint::native
