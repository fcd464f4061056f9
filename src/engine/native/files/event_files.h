// Descriptors that are events: eventfd, timerfd, signalfd, epoll, pidfd; inotify: inotify.h.
//
// Saved: what fdinfo says of them. Brought back: init makes them; an epoll set is filled by the
// first process that has it, when all its descriptors are in place, since a set knows what it
// watches by number, too. An edge that was told already may be told once more. Declined: a set that
// watches what its process has closed since, or nested ones that do so. A pidfd is opened by each
// process that has it, when everybody is born: it has no state but its flags. Declined: of a
// process that is gone.
#pragma once

#include <optional>
#include <string_view>

#include "engine/native/image.h"
#include "engine/native/program/program_writer.h"

namespace sf::waypoint::native {

// Pure. What kind of event the link names, with the state that `info`, its fdinfo, tells; nothing
// when it is none, or says what is not understood.
std::optional<EventImage> parse_event(std::string_view link, std::string_view info);

// The new descriptor.
Argument make_event(ProgramWriter& program, const FileImage& file);
// What is opened by each process that has it, when all are born.
bool is_opened_late(const FileImage& file);
void open_late(ProgramWriter& program, const FileImage& file, const Descriptor& fd, int occupant);
void fill_epoll_sets(ProgramWriter& program, const ProcessImage& process, const TreeImage& tree);

}  // namespace sf::waypoint::native
