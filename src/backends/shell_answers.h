// What a shell's server answers, in the words of the control plane.
#pragma once

#include <memory>

#include "control/backend.h"
#include "shell/command.h"
#include "shell/terminal_watch.h"
#include "terminal/screen.h"

namespace sf::backends {

waypoint::ExecRequest shell_request(const control::ExecRequest& request);
waypoint::SideExecRequest side_request(const control::SideRequest& request);
control::SideObservation side_observation_of(waypoint::SideExecResult done);
// All but left_background.
control::Observation observation_of(waypoint::ExecResult done);
control::TerminalScreen screen_of(waypoint::ScreenText shown);
std::unique_ptr<control::TerminalFeed> feed_of(waypoint::TerminalWatch watch);

}  // namespace sf::backends
