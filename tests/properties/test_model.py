"""The model and its comparison: equal states pass, and every difference is found."""

import random
import threading
import unittest

import probe
import run
from hosts import Host, LibraryHost
from library_way import LibraryWay
from model import WORK, Entry, Node, State, Tree
from operations import OPERATIONS
from player import Failure, Player, Session
from sequences import SEQUENCES
from shared import SHARED, SHARED_KILLS, Effect, SharedBranch
from states import KILLS
from ways import Birth, Done, Problem, Settings, Way


def printed(state: State, drawn: str = "") -> str:
    """The probe's output in a branch with this state."""
    lines = [f"file {name}|{entry.kind}|{entry.mode:o}|{entry.content.decode() if entry.kind == 'l' else ''}"
             for name, entry in state.files.items()]
    lines += [f"md5 {probe.digest(entry.content)}  {WORK}/{name}" for name, entry in state.files.items()
              if entry.kind == "f"]
    lines += [f"cwd {state.cwd}", f"umask {state.umask:04o}", f"jobs {len(state.servers)}"]
    lines += ["window %d %d" % state.window] if state.window else ["window 1 1"]
    lines += [f"var {name} {value}" for name, value in state.variables.items()]
    lines += [f"function {name} function" for name in state.functions]
    lines += [f"attribute {name} {value}" for name, value in state.attributes.items()]
    lines += [f"server {name} {count}" for name, (_, count) in state.servers.items()]
    lines += [f"queue {name} 1" for name in state.queues]
    return "\n".join(lines + ([f"drawn {drawn}"] if drawn else []))


def full_state() -> State:
    return State(files={"f": Entry("f", 0o644, b"text"), "d": Entry("d", 0o755), "l": Entry("l", 0o777, b"/x")},
                 variables={"a": "1"}, functions={"g"}, cwd="/usr", attributes={"nice": "5"}, queues={"/q"},
                 servers={"s1": ("fifo", 3)})


class DifferencesTest(unittest.TestCase):
    def differences(self, expected: State, actual: State) -> list[str]:
        return probe.differences(expected, probe.parse(printed(actual)))

    def test_equal_states_do_not_differ(self) -> None:
        self.assertEqual(self.differences(full_state(), full_state()), [])

    def test_every_part_of_a_state_is_compared(self) -> None:
        changes = [lambda s: s.files.pop("f"), lambda s: s.files.update(f=Entry("f", 0o600, b"text")),
                   lambda s: s.files.update(f=Entry("f", 0o644, b"other")), lambda s: s.files.update(n=Entry()),
                   lambda s: s.files.update(l=Entry("l", 0o777, b"/y")), lambda s: s.variables.update(a="2"),
                   lambda s: s.functions.clear(), lambda s: setattr(s, "cwd", "/"),
                   lambda s: setattr(s, "umask", 0o077), lambda s: setattr(s, "window", (1, 2)),
                   lambda s: s.attributes.update(nice="6"), lambda s: s.queues.clear(),
                   lambda s: s.servers.update(s1=("fifo", 4)), lambda s: s.servers.clear()]
        for number, change in enumerate(changes):
            with self.subTest(number):
                actual = full_state()
                change(actual)
                self.assertNotEqual(self.differences(full_state(), actual), [])

    def test_a_file_being_written_may_be_absent_empty_or_complete(self) -> None:
        expected = State(coming={"t": b"text"})
        for content, allowed in ((None, True), (b"", True), (b"text", True), (b"other", False)):
            with self.subTest(content):
                actual = State(files={} if content is None else {"t": Entry("f", 0o644, content)})
                self.assertEqual(self.differences(expected, actual) == [], allowed)

    def test_the_first_probe_decides_uncertain_files(self) -> None:
        state = State(maybe={"p": Entry("f", 0o644, b"p")})
        with_it = State(files={"p": Entry("f", 0o644, b"p")})
        self.assertEqual(self.differences(state, with_it), [])
        self.assertEqual(self.differences(state, State()), [])
        probe.decide(state, probe.parse(printed(with_it)))
        self.assertNotEqual(self.differences(state, State()), [])

    def test_another_number_from_a_seeded_generator_is_found(self) -> None:
        state = State(seed=5)
        self.assertEqual(probe.differences(state, probe.parse(printed(state, "77")), "77"), [])
        self.assertNotEqual(probe.differences(state, probe.parse(printed(state, "78")), "77"), [])


class NodesTest(unittest.TestCase):
    def test_only_virtual_nodes_after_a_draw_may_diverge(self) -> None:
        root = Node("n0", None, "physical", State(), False)
        drawn = Node("n1", root, "virtual", State(), True)
        after = Node("n2", drawn, "virtual", State(), False)
        kept = Node("n3", drawn, "physical", State(), True)
        below = Node("n4", kept, "virtual", State(), False)
        self.assertEqual([node.may_diverge() for node in (root, drawn, after, kept, below)],
                         [False, True, True, False, False])
        self.assertIs(after.sure_ancestor(), root)
        self.assertIs(below.sure_ancestor(), below)

    def test_later_operations_do_not_change_a_node(self) -> None:
        live = full_state()
        node = Node("n1", None, "physical", live.copy(), False)
        live.variables["a"] = "9"
        live.servers["s1"] = ("fifo", 9)
        self.assertEqual(node.state, full_state())

    def test_children_are_known(self) -> None:
        tree = Tree()
        root = Node("n0", None, "physical", State(), False)
        tree.add(root)
        self.assertFalse(tree.has_children(root))
        tree.add(Node("n1", root, "physical", State(), False))
        self.assertTrue(tree.has_children(root))


class SharedBranchTest(unittest.TestCase):
    def setUp(self) -> None:
        self.shared = SharedBranch("main", Node("n0", None, "physical", State(), False))
        self.inner = Effect({"e": b"text"}, {"ev": "1"})

    def test_an_effect_is_in_the_branch_and_in_the_next_node(self) -> None:
        with self.shared.acting(self.inner):
            self.assertEqual(self.shared.state, State())
        with self.shared.snapshot() as state:
            pass
        self.assertEqual(state, State(files={"e": Entry("f", 0o644, b"text")}, variables={"ev": "1"}))
        self.assertEqual(self.shared.state, state)

    def test_a_node_leaves_open_what_overlaps_it(self) -> None:
        with self.shared.snapshot() as ends_inside:
            with self.shared.acting(self.inner):
                pass
        with self.shared.acting(self.inner):
            with self.shared.snapshot() as begun_before:
                self.assertEqual(begun_before.files, self.shared.state.files)
        self.assertEqual(ends_inside, State(maybe={"e": Entry("f", 0o644, b"text")}))
        self.assertIn("e", begun_before.maybe)

    def test_a_program_that_overlaps_a_node_may_write_later(self) -> None:
        self.inner.is_atomic = False
        with self.shared.acting(self.inner), self.shared.snapshot() as state:
            pass
        self.assertEqual(state, State(open={"e": b"text"}))

    def test_a_call_that_failed_may_have_been_done(self) -> None:
        with self.assertRaises(Problem), self.shared.acting(self.inner):
            raise Problem("connection", "it broke")
        self.assertEqual(self.shared.state, State(open={"e": b"text"}))
        self.assertEqual(probe.differences(self.shared.state, probe.parse(printed(State()))), [])

    def test_a_restore_waits_for_the_calls_of_the_other_client(self) -> None:
        order = []

        def restore() -> None:
            with self.shared.alone():
                order.append("restore")

        with self.shared.acting(self.inner):
            other = threading.Thread(target=restore)
            other.start()
            other.join(0.05)
            order.append("call")
        other.join()
        self.assertEqual(order, ["call", "restore"])


class LostBranchTest(unittest.TestCase):
    """A branch may be lost if its own keeper was killed, and only then."""

    class Broken(Way):
        def read(self, session: str, branch: str, path: str) -> bytes:
            return f"1 1 0:1 / / rw - overlay w rw,upperdir=/u/live-k-{branch}/upper,\n".encode()

        def exec(self, session: str, branch: str, command: str) -> Done:
            raise Problem("session_lost", f"branch {branch} is no longer running")

    class KillingHost(Host):
        def __init__(self) -> None:  # no directory
            self.ways = [LostBranchTest.Broken()]
            self._kills, self.may_kill = 2, True
            self.killed_keepers: list[str] = []
            self.known_keepers: set[str] = set()

        def ensure_running(self) -> None:
            pass

    def setUp(self) -> None:
        self.host = LostBranchTest.KillingHost()
        self.session = Session(self.host, "s", Settings(), 2)
        for branch in ("b1", "b2"):
            self.session.born(branch, 0)
        self.player = Player(self.session, "b1", Node("n0", None, "physical", State(), False), 0)
        self.player.recover = lambda why: None  # type: ignore[method-assign]
        self.addCleanup(self.player.close)

    def play(self) -> None:
        self.player.play("assign", lambda p: p.shell("x=1"), 1)

    def test_a_lost_branch_is_a_failure_if_another_keeper_was_killed(self) -> None:
        self.host.killed_keepers.append("k-b2")
        with self.assertRaises(Failure):
            self.play()

    def test_a_lost_branch_is_a_failure_if_another_keeper_was_killed_during_the_call(self) -> None:
        def operation(player: Player) -> None:
            self.host._kills += 2
            self.host.killed_keepers.append("k-b2")
            player.shell("x=1")

        with self.assertRaises(Failure):
            self.player.play("assign", operation, 1)

    def test_a_lost_branch_is_excused_if_its_own_keeper_was_killed(self) -> None:
        self.host.killed_keepers.append("k-b1")
        self.play()

    def test_a_lost_branch_whose_keeper_is_unknown_is_excused_after_any_keeper_kill(self) -> None:
        self.session.births["b1"] = Birth(0, "")
        with self.assertRaises(Failure):
            self.play()
        self.host.killed_keepers.append("k-b2")
        self.play()


class LibraryHostTest(unittest.TestCase):
    def test_a_session_whose_start_was_not_answered_is_ended(self) -> None:
        asked = []

        class Program:
            def ask(self, message: dict[str, object]) -> dict[str, object]:
                asked.append((message["verb"], message["session"]))
                if message["verb"] == "create":
                    raise Problem("connection", "the program has ended")
                return {}

            def close(self) -> None:
                asked.append(("close", ""))

        host = LibraryHost.__new__(LibraryHost)
        host._program = Program()  # type: ignore[assignment]
        host._way = LibraryWay(lambda: host._program)
        with self.assertRaises(Problem):
            host._way.create(Settings())
        host._end()
        self.assertEqual(asked[1:], [("destroy", "library-1"), ("close", "")])


class PlanTest(unittest.TestCase):
    choice = run.Choice(run.POLICIES, ["auto", "criu"], ["daemon", "library"], True, set())

    def test_everything_follows_from_the_seed(self) -> None:
        self.assertEqual(run.plan(7, self.choice), run.plan(7, self.choice))
        self.assertNotEqual(run.plan(7, self.choice).steps, run.plan(8, self.choice).steps)

    def test_every_operation_is_planned_eventually(self) -> None:
        planned = {step.name for seed in range(300) for step in run.plan(seed, self.choice).steps}
        self.assertEqual(planned, set(run.ALL_OPERATIONS))

    def test_two_clients_of_one_branch_get_the_steps_of_such_clients(self) -> None:
        rounds = [run.plan(seed, self.choice) for seed in range(300)]
        self.assertGreater(sum(planned.shared for planned in rounds), 30)
        for planned in rounds:
            for step in planned.steps:
                self.assertEqual(step.name in SHARED, planned.shared and step.client < 2)

    def test_operations_that_an_old_version_lacks_are_left_out(self) -> None:
        old = run.Choice(run.POLICIES, ["auto"], ["daemon"], False, set(), True)
        planned = {step.name for seed in range(300) for step in run.plan(seed, old).steps}
        self.assertEqual(set(run.ALL_OPERATIONS) - planned, run.OLD_LEFT_OUT | set(KILLS) | set(SHARED_KILLS))

    def test_sequences_name_operations(self) -> None:
        for name, steps in SEQUENCES.items():
            for operation, _ in steps:
                self.assertIn(operation, OPERATIONS, name)

    def test_only_allowed_steps_are_planned(self) -> None:
        only = run.Choice(["eager"], ["auto"], ["daemon"], False, {"assign"})
        steps = run.plan_steps(random.Random(1), 2, only)
        self.assertEqual({step.name for step in steps}, {"assign"})
        self.assertEqual({step.client for step in steps}, {0, 1})


if __name__ == "__main__":
    unittest.main()
