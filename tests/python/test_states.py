"""Snapshots, restores, forks, and the tree they make."""

import time
import unittest
from typing import List

from statefork import (BusyError, DivergenceError, InvalidArgumentError, Node, NodeRef, NoSpaceError, NotFoundError,
                       SessionLostError, Snapshot, StateForkError, UnsupportedError)
from world import LiveTest, World, eventually


class SnapshotTest(LiveTest):
    def test_damage_is_undone_by_a_restore(self) -> None:
        self.s.exec_command("mkdir /root/w; cd /root/w; echo good >f; x=kept; sleep 1000 &")
        n = self.s.snapshot()
        self.s.exec_command("cd /; rm -r /root/w; unset x; kill %1; wait")
        report = self.s.restore(n)
        self.assertEqual((report.node, report.accepted), (n.id, []))
        self.assertEqual(self.s.exec_command("pwd; cat f; echo $x; jobs -r | wc -l").output, "/root/w\ngood\nkept\n1\n")

    def test_a_written_file_is_in_the_next_snapshot_after_any_pause(self) -> None:
        self.s.snapshot()
        for pause in (0, 0.15, 0.6):  # during the pause the branch is precaptured
            content = f"payload after {pause} s"
            self.s.exec_command("true")
            time.sleep(pause)
            self.s.write_file("/root/f", content)
            n = self.s.snapshot()
            self.assertIn("/root/f", [one.name for one in self.s.diff("HEAD~1", n)])
            self.s.restore(n)
            self.assertEqual(self.s.exec_command("cat /root/f").output, content)
            with self.s.branch(n) as b:
                self.assertEqual(b.read_text("/root/f"), content)

    def test_a_node_describes_itself_and_formats_as_its_id(self) -> None:
        self.s.exec_command("x=1")
        n = self.s.snapshot("start", notes={"why": "to try"})
        self.assertIsInstance(n, Snapshot)
        self.assertEqual((n.id, n.name, n.kind, n.notes), ("n1", "start", "physical", {"why": "to try"}))
        self.assertGreater(n.bytes, 0)
        self.assertGreater(n.took, 0)
        self.assertIsNone(n.fallback)
        self.assertTrue(n == "n1" and n != "n2" and str(n) == "n1" and n in {"n1"})
        self.assertEqual(n, self.s.tree()["start"])
        refs: List[NodeRef] = [n, "n1", "start", "HEAD"]
        self.assertEqual({self.s.restore(ref).node for ref in refs}, {"n1"})

    def test_the_kind_can_be_chosen(self) -> None:
        self.s.exec_command("x=1")
        self.assertEqual(self.s.snapshot(materialization="virtual").kind, "virtual")
        self.s.exec_command("x=2")
        self.assertEqual(self.s.snapshot(materialization="physical").kind, "physical")
        with self.assertRaises(InvalidArgumentError):
            self.s.snapshot(materialization="other")  # type: ignore[arg-type]

    def test_a_virtual_node_is_restored_by_its_commands(self) -> None:
        self.s.exec_command("x=1; echo 1 >/root/f")
        n = self.s.snapshot(materialization="virtual")
        self.s.exec_command("x=2; rm /root/f")
        self.assertEqual(self.s.restore(n).replayed, 1)
        self.assertEqual(self.s.exec_command("echo $x; cat /root/f").output, "1\n1\n")

    def test_a_replay_that_differs_is_a_divergence(self) -> None:
        self.s.exec_command("x=here; cat /proc/sys/kernel/random/uuid")
        n = self.s.snapshot(materialization="virtual")
        with self.assertRaises(DivergenceError) as diverged:
            self.s.restore(n)
        d = diverged.exception.divergence
        self.assertEqual((d.node, d.index, d.command), (n.id, 0, "x=here; cat /proc/sys/kernel/random/uuid"))
        self.assertEqual((d.expected.exit_code, d.observed.exit_code), (0, 0))
        self.assertNotEqual(d.expected.output, d.observed.output)
        self.assertEqual(len(d.observed.output.strip()), 36)
        accepted = self.s.restore(n, on_divergence="accept").accepted
        self.assertEqual([one.command for one in accepted], [d.command])
        self.assertEqual(self.s.exec_command("echo $x").output, "here\n")

    def test_the_error_names_processes_that_cannot_be_captured(self) -> None:
        self.s.exec_command("strace -o /dev/null sleep 1000 & until pgrep -x sleep; do :; done")
        with self.assertRaises(UnsupportedError) as refused:
            self.s.snapshot(materialization="physical")
        blockers = refused.exception.blockers
        self.assertEqual([blocker.process for blocker in blockers], ["sleep"])
        self.assertIn("traced by", blockers[0].what)
        self.assertTrue(blockers[0].why and blockers[0].advice and blockers[0].pid > 1)
        self.assertEqual(self.s.exec_command("echo unharmed").output, "unharmed\n")


class ForkTest(LiveTest):
    def test_forks_are_independent_live_copies(self) -> None:
        self.s.exec_command("x=base")
        n = self.s.snapshot()
        branches = self.s.fork(n, 3)
        self.assertEqual([branch.name for branch in branches], ["b1", "b2", "b3"])
        for i, b in enumerate(branches):
            b.exec_command(f"x=$x-{i}")
        self.assertEqual([b.exec_command("echo $x").output for b in branches], [f"base-{i}\n" for i in range(3)])
        self.assertEqual(self.s.exec_command("echo $x").output, "base\n")
        self.assertEqual(sorted(b.name for b in self.s.branches()), ["b1", "b2", "b3", "main"])

    def test_branches_may_have_names(self) -> None:
        one, two = self.s.fork("HEAD", names=["left", "right"])
        self.assertEqual((one.name, two.name), ("left", "right"))
        self.assertEqual(self.s.get_branch("left").exec_command("echo hi").output, "hi\n")
        with self.assertRaises(NotFoundError):
            self.s.get_branch("middle")

    def test_a_with_statement_ends_its_branch(self) -> None:
        n = self.s.snapshot()
        with self.s.branch(n) as b:
            b.exec_command("x=1")
            inner = b.snapshot()
            with b.branch(name="deeper") as deeper:
                self.assertEqual(deeper.exec_command("echo $x").output, "1\n")
        self.assertEqual([b.name for b in self.s.branches()], ["main"])
        self.assertIn(inner, self.s.tree())
        with self.assertRaises(NotFoundError):
            b.exec_command("true")

    def test_an_error_in_the_with_is_the_one_that_is_raised(self) -> None:
        with self.assertRaises(ZeroDivisionError):
            with self.s.branch() as b:
                b.end()
                raise ZeroDivisionError

    def test_failed_forks_raise_and_leave_nothing(self) -> None:
        self.s.exec_command("cat /proc/sys/kernel/random/uuid")
        n = self.s.snapshot(materialization="virtual")
        with self.assertRaises(DivergenceError) as diverged:
            self.s.fork(n, 2)
        self.assertIn("2 of 2 branches could not be made", str(diverged.exception))
        self.assertEqual([b.name for b in self.s.branches()], ["main"])
        errors = self.s.fork(n, 2, return_errors=True)
        self.assertEqual([type(error) for error in errors], [DivergenceError, DivergenceError])
        with self.assertRaises(DivergenceError):
            self.s.branch(n)
        for b in [*self.s.fork(n, 2, on_divergence="accept"), self.s.branch(n, on_divergence="accept")]:
            self.assertEqual([d.command for d in b.accepted], ["cat /proc/sys/kernel/random/uuid"])
            self.assertEqual(b.unproven, "")
            b.end()
        with self.s.branch("n0") as b:
            self.assertEqual((list(b.accepted), b.unproven, self.s.diff("n0", "n0").unproven), ([], "", ""))

    def test_too_many_forks_are_refused(self) -> None:
        with self.assertRaises((InvalidArgumentError, NoSpaceError)):
            self.s.fork("HEAD", 100_000)
        with self.assertRaises(InvalidArgumentError):
            self.s.fork("HEAD", names=["same", "same"])


class TreeTest(LiveTest):
    def test_the_tree_has_nodes_with_their_commands_and_branches_with_what_is_pending(self) -> None:
        self.s.exec_command("x=1")
        n = self.s.snapshot("one")
        self.s.exec_command("y=2")
        tree = self.s.tree()
        self.assertEqual((tree.root.id, tree.root.parent), ("n0", None))
        self.assertEqual((tree[n].parent, tree[n].origin), ("n0", "main"))
        self.assertEqual([entry.text for entry in tree[n].log], ["x=1"])
        self.assertEqual(tree.children("n0"), ["n1"])
        self.assertEqual([entry.text for entry in tree.branches[0].pending], ["y=2"])
        self.assertEqual((tree.branches[0].node, tree.session.id), ("n1", self.s.id))
        self.assertIsNotNone(tree[n].created_at.tzinfo)
        self.assertNotIn("n7", tree)
        with self.assertRaises(KeyError):
            tree["n7"]

    def test_notes_and_names_can_be_changed(self) -> None:
        n = self.s.snapshot("first", notes={"score": "1", "old": "x"})
        changed = self.s.set_notes(n, {"score": "2", "old": None, "new": "y"})
        self.assertEqual(changed.notes, {"score": "2", "new": "y"})
        self.assertEqual(self.s.rename_node("HEAD", "second").name, "second")
        again = self.s.node("second")
        self.assertEqual((again, again.notes["new"], again.parent), (n, "y", "n0"))
        self.assertIsInstance(again, Node)
        with self.assertRaises(NotFoundError):
            self.s.node("first")

    def test_a_diff_lists_what_changed(self) -> None:
        n = self.s.snapshot()
        self.assertFalse(self.s.diff(n))
        self.s.exec_command("printf 'a\\nb\\n' >/root/new; cd /usr; export K=v")
        m = self.s.snapshot()
        for diff in (self.s.diff(n), self.s.diff(n, m)):
            found = {(d.subject, d.kind, d.name) for d in diff}
            self.assertIn(("file", "added", "/root/new"), found)
            self.assertIn(("environment", "added", "K"), found)
            self.assertTrue(any(d.subject == "cwd" and d.after == "/usr" for d in diff))
        self.assertTrue(self.s.diff(n))

    def test_cleanup_removes_a_node_and_its_subtree(self) -> None:
        self.s.exec_command("x=1")
        n = self.s.snapshot()
        self.s.exec_command("x=2")
        m = self.s.snapshot()
        with self.assertRaises(BusyError):
            self.s.cleanup(n)
        self.s.restore("n0")
        report = self.s.cleanup(n)
        self.assertEqual((sorted(report.nodes), report.branches), ([n, m], []))
        self.assertEqual(self.s.tree().nodes, ["n0"])
        b = self.s.branch("HEAD")
        deep = b.snapshot()
        self.assertEqual(self.s.cleanup(deep, force=True).branches, [b.name])

    def test_stats_count_operations(self) -> None:
        self.s.exec_command("x=1")
        n = self.s.snapshot()
        self.s.restore(n)
        self.s.fork(n, 2)
        stats = self.s.stats()
        self.assertEqual((stats.commands, stats.restores, stats.forked_branches, stats.nodes, stats.live_branches),
                         (1, 1, 2, 2, 3))
        self.assertGreater(stats.command_time, 0)
        self.assertGreater(stats.physical_bytes, 0)
        self.assertIn(stats.ready_refs, range(stats.physical_refs + 1))

    def test_a_session_can_be_renamed(self) -> None:
        self.s.rename("other-name")
        self.assertEqual(self.s.name, "other-name")
        self.assertEqual(self.world.client().connect("other-name").id, self.s.id)


class LimitsTest(LiveTest):
    def test_a_reached_limit_raises_no_space(self) -> None:
        with self.world.session(max_branches=2) as s:
            self.assertEqual(s.info().max_branches, 2)
            with self.assertRaises(NoSpaceError):
                s.fork("HEAD", 2)
            s.branch()

    def test_a_session_ends_when_its_time_is_over(self) -> None:
        s = self.world.session(ttl=1)
        eventually(lambda: s.id not in [info.id for info in self.world.client().list_sessions()])


class LostBranchTest(unittest.TestCase):
    def test_a_lost_branch_is_reported_and_can_be_restored(self) -> None:
        world = World()
        self.addCleanup(world.close)
        s = world.session()
        s.exec_command("x=kept")
        n = s.snapshot()
        world.kill_branches()
        with self.assertRaises(SessionLostError):
            s.exec_command("true")
        s.restore(n)
        self.assertEqual(s.exec_command("echo $x").output, "kept\n")


class OtherBackendsTest(LiveTest):
    def test_a_backend_without_physical_snapshots_raises_unsupported(self) -> None:
        with self.world.client().build_session("replay", root="/") as s:
            s.exec_command("x=1")
            with self.assertRaises(UnsupportedError) as refused:
                s.snapshot(materialization="physical")
            self.assertEqual(refused.exception.blockers, [])
            n = s.snapshot()
            self.assertEqual(n.kind, "virtual")
            s.exec_command("x=2")
            s.restore(n)
            self.assertEqual(s.exec_command("echo $x").output, "1\n")

    def test_an_unknown_backend_is_refused(self) -> None:
        with self.assertRaises(StateForkError) as refused:
            self.world.client().build_session("quantum", root="/")
        self.assertEqual(refused.exception.status, 400)


if __name__ == "__main__":
    unittest.main()
