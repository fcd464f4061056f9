#include "shell/change_gate.h"

#include <gtest/gtest.h>

#include <string_view>
#include <type_traits>

#include "shell/permitted_calls.h"
#include "shell/shell_host.h"

namespace sf::waypoint {
namespace {

// Only a gate with a `discard` function can make permits.
static_assert(!std::is_default_constructible_v<ChangeGate>);
static_assert(!std::is_copy_constructible_v<ChangeGate>);
static_assert(!std::is_move_constructible_v<ChangeGate>);
static_assert(!std::is_default_constructible_v<ChangePermit>);
static_assert(!std::is_constructible_v<ChangePermit, int>);
static_assert(!std::is_copy_constructible_v<ChangePermit>);
static_assert(!std::is_move_constructible_v<ChangePermit>);
static_assert(!std::is_copy_assignable_v<ChangePermit> && !std::is_move_assignable_v<ChangePermit>);

// No function that changes a branch can be called without a permit.
template <typename Channel, typename Input, typename Sides, typename Driver, typename Host>
constexpr bool changes_without_permit() {
  const auto any = [](auto... found) { return (found || ...); };
  return any(
      requires(Channel & c, const Record& r) { c.acknowledge(r); },
      requires(Channel & c, const Record& r) { c.allow_fingerprint(r, true); },
      requires(Channel & c) { c.load_command(std::string_view()); },
      requires(Channel & c) { c.write_script(1); },
      requires(Channel & c, const Credentials& user) { c.install(1, user); },
      requires(Channel & c, const StartRequest& r) { c.request(r); },
      requires(Channel & c) { c.read_records(); },
      requires(Input & i) { i.type(std::string_view()); },
      requires(Input & i) { i.hold(std::string_view()); }, requires(Input & i) { i.write_some(); },
      requires(Input & i) { i.discard(); }, requires(Input & i) { i.take_back('x'); },
      requires(Input & i) { i.take_part_of_line(Input::Part::kDrop); },
      requires(Sides & s, Channel & c, StartRequest r, const SideRequest& e) {
        s.run(c, r, e, nullptr);
      },
      requires(Driver & d) { d.run(ExecRequest(), OutputSink(), nullptr); },
      requires(Driver & d) { d.type(std::string_view()); },
      requires(Driver & d) { d.show_prompt(); },
      requires(Driver & d, const CatchUp& missed) { d.catch_up(missed, nullptr); },
      requires(Host & h) { h.start_shell_again(); },
      requires(Host & h, const SideRequest& e) { h.side_exec(e, nullptr); },
      requires(Host & h) { h.resize(WindowSize()); },
      requires(Host & h) { h.write_file("/f", std::string_view()); });
}
static_assert(
    !changes_without_permit<ShellChannel, TerminalInput, SideCommands, ShellDriver, ShellHost>());

// The same calls compile with a permit, so only the missing permit makes those above fail.
template <typename Channel, typename Input, typename Sides, typename Driver, typename Host>
constexpr bool changes_with_permit() {
  const auto all = [](auto... found) { return (found && ...); };
  return all(
      requires(Channel & c, const ChangePermit& p, const Record& r) { c.acknowledge(p, r); },
      requires(Channel & c, const ChangePermit& p, const Record& r) {
        c.allow_fingerprint(p, r, true);
      },
      requires(Channel & c, const ChangePermit& p) { c.load_command(p, std::string_view()); },
      requires(Channel & c, const ChangePermit& p) { c.write_script(p, 1); },
      requires(Channel & c, const ChangePermit& p, const Credentials& user) {
        c.install(p, 1, user);
      },
      requires(Channel & c, const ChangePermit& p, const StartRequest& r) { c.request(p, r); },
      requires(Channel & c, ChangeGate & gate) { c.read_records(gate); },
      requires(Input & i, const ChangePermit& p) { i.type(p, std::string_view()); },
      requires(Input & i, const ChangePermit& p) { i.hold(p, std::string_view()); },
      requires(Input & i, const ChangePermit& p) { i.write_some(p); },
      requires(Input & i, const ChangePermit& p) { i.discard(p); },
      requires(Input & i, const ChangePermit& p) { i.take_back(p, 'x'); },
      requires(Input & i, const ChangePermit& p) { i.take_part_of_line(p, Input::Part::kDrop); },
      requires(Sides & s, const ChangePermit& p, Channel& c, StartRequest r, const SideRequest& e) {
        s.run(p, c, r, e, nullptr);
      },
      requires(Driver & d, const ChangePermit& p) {
        d.run(p, ExecRequest(), OutputSink(), nullptr);
      },
      requires(Driver & d, const ChangePermit& p) { d.type(p, std::string_view()); },
      requires(Driver & d, const ChangePermit& p) { d.show_prompt(p); },
      requires(Driver & d, const ChangePermit& p, const CatchUp& missed) {
        d.catch_up(p, missed, nullptr);
      },
      requires(Host & h, const ChangePermit& p) { h.start_shell_again(p); },
      requires(Host & h, const ChangePermit& p, const SideRequest& e) {
        h.side_exec(p, e, nullptr);
      },
      requires(Host & h, const ChangePermit& p) { h.resize(p, WindowSize()); },
      requires(Host & h, const ChangePermit& p) { h.write_file(p, "/f", std::string_view()); });
}
static_assert(
    changes_with_permit<ShellChannel, TerminalInput, SideCommands, ShellDriver, ShellHost>());

int discarded_at(const ChangePermit& /*permit*/, const int& discarded) { return discarded; }

TEST(ChangeGateTest, EveryOpeningDiscardsThePrecaptureBeforeTheCall) {
  int discarded = 0;
  ChangeGate gate([&] { ++discarded; });
  EXPECT_EQ(discarded_at(gate.open(), discarded), 1);
  EXPECT_EQ(discarded_at(gate.open(), discarded), 2);
}

TEST(ChangeGateTest, OpeningsAreCounted) {
  ChangeGate gate = ChangeGate::of_agent();
  const std::uint64_t before = gate.openings();
  (void)gate.open();
  EXPECT_EQ(gate.openings(), before + 1);
}

TEST(ChangeGateTest, OnlyTheAgentsGateDiscardsNothing) {
  ChangeGate gate = ChangeGate::of_agent();
  int discarded = 0;
  EXPECT_EQ(discarded_at(gate.open(), discarded), 0);
  EXPECT_DEATH(ChangeGate{nullptr}, "discard");
}

}  // namespace
}  // namespace sf::waypoint
