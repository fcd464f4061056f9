// Event descriptors: eventfd, timerfd, signalfd, epoll, pidfd. inotify: inotify.h.
//
// Saved: the state that fdinfo shows. Restored: init creates them. The first process that has an
// epoll set fills it once all its descriptors are in place, since an epoll set identifies files by
// descriptor number too. An edge that was already reported may be reported again. A pidfd has no
// state but its flags: each process that has it opens it once all processes exist. Declined: epoll
// sets that watch a file which their process has closed, nested sets that do so, pidfds of
// processes that are gone.
#pragma once

#include <optional>
#include <string_view>

#include "engine/native/image.h"
#include "engine/native/program/program_writer.h"

namespace sf::waypoint::native {

// Pure. The event that `link` names, with its state from `info` (fdinfo). Nothing: it is not an
// event, or `info` has an unknown format.
std::optional<EventImage> parse_event(std::string_view link, std::string_view info);

// Returns the new descriptor.
Argument make_event(ProgramWriter& program, const FileImage& file);
// True if each process that has the file opens it, once all processes exist.
bool is_opened_late(const FileImage& file);
void open_late(ProgramWriter& program, const FileImage& file, const Descriptor& fd, int occupant);
void fill_epoll_sets(ProgramWriter& program, const ProcessImage& process, const TreeImage& tree);

}  // namespace sf::waypoint::native
