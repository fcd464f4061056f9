// Terminals made inside the branch (tmux, script, sshd): masters and slaves beside /dev/pts/0.
//
// Saved: number, settings, window, owner, packet mode, lock, session and foreground group, and what
// nobody has read (pty_data.h). Brought back: init opens masters until each has its number, sets
// them up before there is a session, and opens the slaves; leaders take theirs as they take the
// branch's own (controlling_terminal.h). /dev/tty is opened by a process that has that terminal for
// this moment. Slaves whose master was closed are opened and lose it again. Declined: a slave whose
// master is outside of the tree, more input than a terminal holds, unread changes of packet mode,
// other line disciplines.
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

// What is seen of a descriptor of a terminal.
struct PtyFacts {
  enum class End { kNeither, kMaster, kSlave, kOwn };  // kOwn: /dev/tty
  End end = End::kNeither;
  int number = -1;
  bool has_master = false;  // in the tree
  bool is_dead = false;     // a slave: its master was closed
  int unread = 0;
  bool has_status = false;  // packet mode: a change that nobody has read
  bool is_exclusive = false;
  bool is_edited_outside = false;  // EXTPROC
  bool reads_with_time = false;    // VTIME: whoever reads waits no longer
  int discipline = 0;
  bool operator==(const PtyFacts&) const = default;
};

// Pure. Which terminal it is: what /proc/pid/stat calls it; -1: none of devpts.
int terminal_number(std::int64_t device);
// Pure. The master's number, from its fdinfo; -1: it does not say.
int master_number(const std::string& info);
// Pure. Whether a descriptor is of a terminal that is looked at here.
bool is_pty(const DescriptorFacts& fd);
// `copy`: a copy of the descriptor.
PtyFacts read_pty(const DescriptorFacts& fd, int copy);
// Pure. Who of the slaves have their masters in the tree.
void tie_ptys(std::vector<ProcessFacts>& processes);
// Pure. Why it cannot be captured; empty: it can.
std::string pty_trouble(const PtyFacts& pty);

Status capture_ptys(const TreeFacts& facts, TreeImage& tree);
// Of the terminal, 0: the branch's own.
const TerminalImage& terminal_of(const TreeImage& tree, int number);
std::string terminal_path(int number);

// Init's part, before open_masters(). Requires: the branch's own terminal has number 0.
void open_dead_terminals(ProgramWriter& program, const TreeImage& tree,
                         const FdLocations& locations);
// Init's part. Requires: the branch's own terminal is there, and has number 0.
void open_masters(ProgramWriter& program, const TreeImage& tree, const FdLocations& locations);
// When the slaves are open.
void finish_ptys(ProgramWriter& program, const TreeImage& tree, const FdLocations& locations,
                 std::uint64_t failure);

}  // namespace sf::waypoint::native
