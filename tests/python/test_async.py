"""The verbs with await, and their correspondence to the synchronous ones."""

import asyncio
import inspect
import tempfile
import unittest
from pathlib import Path

from statefork import (Branch, Client, CommandFailed, DivergenceError, Execution, NotFoundError, OutputEvent,
                       ResultEvent, Session)
from statefork.aio import AsyncBranch, AsyncClient, AsyncExecution, AsyncSession
from cutting_proxy import CuttingProxy
from world import AsyncLiveTest


class AsyncSessionTest(AsyncLiveTest):
    async def test_commands_snapshots_restores_and_forks(self) -> None:
        r = await self.s.exec_command("x=before; echo hi", timeout=60)
        self.assertEqual((r.output, r.exit_code), ("hi\n", 0))
        n = await self.s.snapshot("here", notes={"a": "b"})
        await self.s.exec("x=after")
        await self.s.restore(n)
        branches = await self.s.fork(n, 3)
        results = await asyncio.gather(*(b.exec_command(f"echo $x {i}") for i, b in enumerate(branches)))
        self.assertEqual([r.output for r in results], [f"before {i}\n" for i in range(3)])
        tree = await self.s.tree()
        self.assertEqual((tree["here"], len(tree.branches)), (n, 4))
        self.assertFalse(await self.s.diff("here"))
        self.assertEqual({b.name for b in await self.s.branches()}, {"main", "b1", "b2", "b3"})
        self.assertEqual((await self.s.get_branch("b2")).name, "b2")

    async def test_a_branch_supports_async_with_and_await(self) -> None:
        async with self.s.branch() as b:
            self.assertEqual((await b.exec_command("echo hi")).output, "hi\n")
        with self.assertRaises(NotFoundError):
            await b.exec_command("true")
        kept = await self.s.branch(name="kept")
        self.assertEqual(kept.name, "kept")
        await kept.end()

    async def test_a_session_supports_async_with_and_await(self) -> None:
        client = self.world.async_client()
        async with client.build_session("waypoint", root="/", name="one") as s:
            self.assertEqual((await s.info()).name, "one")
            async with client.connect("one") as again:
                self.assertEqual(again.id, s.id)
            self.assertIn(s.id, [info.id for info in await client.list_sessions()])
        with self.assertRaises(NotFoundError):
            await client.connect("one")

    async def test_errors_are_the_same_types(self) -> None:
        with self.assertRaises(CommandFailed) as failed:
            await self.s.exec_command("echo part; false", check=True)
        self.assertEqual(failed.exception.output, "part\n")
        await self.s.exec_command("cat /proc/sys/kernel/random/uuid")
        n = await self.s.snapshot(materialization="virtual")
        with self.assertRaises(DivergenceError) as diverged:
            await self.s.fork(n, 2)
        self.assertEqual(diverged.exception.divergence.node, n)
        with self.assertRaises(ZeroDivisionError):
            async with self.s.branch("n0") as b:
                await b.end()
                raise ZeroDivisionError

    async def test_many_sessions_work_at_once(self) -> None:
        results = await asyncio.gather(*(self.s.exec_command(f"echo {i}") for i in range(32)))
        self.assertEqual([r.output for r in results], [f"{i}\n" for i in range(32)])

    async def test_a_cancelled_call_leaves_the_session_usable(self) -> None:
        with self.assertRaises(asyncio.TimeoutError):
            await asyncio.wait_for(self.s.exec_command("sleep 0.5"), 0.1)
        self.assertEqual((await self.s.exec_command("echo usable")).output, "usable\n")

    async def test_large_output_arrives_whole(self) -> None:
        r = await self.s.exec_command("seq 1 200000", max_output=8 << 20)
        self.assertEqual(r.output, "".join(f"{i}\n" for i in range(1, 200001)))


class AsyncStreamTest(AsyncLiveTest):
    async def test_on_output_may_be_a_function_or_a_coroutine(self) -> None:
        told = []

        async def listen(text: str) -> None:
            await asyncio.sleep(0)
            told.append(text)

        r = await self.s.exec_command("echo a; sleep 0.05; echo b", on_output=listen)
        self.assertEqual("".join(told), r.output)
        told.clear()
        await self.s.exec_command("echo c", on_output=told.append)
        self.assertEqual(told, ["c\n"])

    async def test_every_event_arrives_once_over_connections_that_break(self) -> None:
        with CuttingProxy(self.world.socket) as proxy:
            s = await AsyncClient(proxy.socket, start=False).connect(self.s.id)
            execution = await s.start_command("for i in $(seq 1 40); do echo line $i; sleep 0.01; done")
            proxy.cut_after(700)
            events = [event async for event in execution]
            self.assertGreater(proxy.cuts, 3)
        self.assertEqual([event.seq for event in events], list(range(1, len(events) + 1)))
        text = "".join(event.text for event in events if isinstance(event, OutputEvent))
        self.assertEqual(text, "".join(f"line {i}\n" for i in range(1, 41)))
        self.assertIsInstance(events[-1], ResultEvent)

    async def test_an_execution_is_waited_for(self) -> None:
        execution = await self.s.start_command("echo ready; read x; echo $x")
        async for event in execution:
            break
        await self.s.send_keys("hello\r")
        self.assertTrue((await execution.wait(timeout=60)).output.endswith("hello\n"))
        self.assertEqual([one.id for one in await self.s.executions()], [execution.id])
        self.assertEqual((await (await self.s.execution(execution.id)).info()).state, "done")

    async def test_a_terminal_is_watched(self) -> None:
        async for event in self.s.watch_terminal():
            self.assertTrue(event.repaint)
            break

    async def test_terminal_files_notes_and_numbers(self) -> None:
        await self.s.resize(11, 77)
        self.assertEqual(len((await self.s.screen()).rows), 11)
        await self.s.write_file("/root/f", "text")
        self.assertEqual((await self.s.read_text("/root/f"), await self.s.read_file("/root/f")), ("text", b"text"))
        with tempfile.TemporaryDirectory() as directory:
            await self.s.download("/root/f", Path(directory, "f"))
            await self.s.upload(Path(directory, "f"), "/root/g")
        self.assertEqual((await self.s.exec_command("cat /root/g")).output, "text")
        n = await self.s.snapshot()
        await self.s.set_notes(n, {"k": "v"})
        await self.s.rename_node(n, "named")
        self.assertEqual((await self.s.node("named")).notes, {"k": "v"})
        await self.s.rename("renamed")
        self.assertEqual((await self.s.stats()).nodes, 2)
        await self.s.restore("n0")
        self.assertEqual((await self.s.cleanup(n)).nodes, [n])


class LikenessTest(unittest.TestCase):
    def test_async_classes_have_the_verbs_of_the_sync_ones_with_the_same_arguments(self) -> None:
        for sync, other in ((Client, AsyncClient), (Session, AsyncSession), (Branch, AsyncBranch),
                            (Execution, AsyncExecution)):
            verbs = {name for name in dir(sync) if not name.startswith("_")}
            self.assertEqual(verbs, {name for name in dir(other) if not name.startswith("_")})
            for name in verbs:
                ours, theirs = getattr(sync, name), getattr(other, name)
                if inspect.isfunction(ours):
                    self.assertEqual(inspect.signature(ours).parameters, inspect.signature(theirs).parameters, name)


if __name__ == "__main__":
    unittest.main()
