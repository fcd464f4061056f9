"""A Harbor environment over a session: loaded by its import path, checked by a verifier, and
restorable."""

import asyncio
import importlib
import io
import json
import os
import subprocess
import sys
import tarfile
import tempfile
import unittest
import warnings
from pathlib import Path
from typing import Any, Optional

sys.path.insert(0, str(Path(__file__).resolve().parent / "standins"))  # if Harbor is not installed

from statefork import SessionLostError, StateForkError, UnsupportedError, transfer
from statefork.harbor import ExecTimeout, WaypointEnvironment
from world import World, environment

SOURCE = Path(__file__).resolve().parents[2] / "python"
base = importlib.import_module("harbor.environments.base")
agents = importlib.import_module("harbor.agents")
trials = importlib.import_module("harbor.trial")

SOLVE = "#!/bin/bash\nset -e\ncd /app\necho solved >answer\necho working\n"
JUDGE = """#!/bin/bash
if [ "$(cat /app/answer 2>/dev/null)" = solved ]; then echo 1; else echo 0; fi >/logs/verifier/reward.txt
"""


class HarborTest(unittest.IsolatedAsyncioTestCase):
    """All tests share one daemon, which is the default one; `self.dir` has a task."""

    world: World

    @classmethod
    def setUpClass(cls) -> None:
        cls.world = World()
        cls.addClassCleanup(cls.world.close)
        variables = environment(**cls.world.variables())
        variables.__enter__()
        cls.addClassCleanup(variables.__exit__, None, None, None)

    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.dir = Path(directory.name)
        self.task = self.dir / "task"
        for name, text in (("environment/Dockerfile", "FROM debian\nWORKDIR /app\n"), ("solution/solve.sh", SOLVE),
                           ("tests/test.sh", JUDGE)):
            path = self.task / name
            path.parent.mkdir(parents=True)
            path.write_text(text)

    def make(self, config: Any = None, root: Optional[str] = "/", **others: Any) -> WaypointEnvironment:
        network = others.pop("network", "none")
        return WaypointEnvironment(
            environment_dir=self.task / "environment", environment_name="task", session_id="task__1",
            trial_paths=trials.TrialPaths(self.dir / "trial"), task_env_config=config or base.EnvironmentConfig(),
            root=root, network=network, **others)

    async def start(self, config: Any = None, **others: Any) -> WaypointEnvironment:
        made = self.make(config, **others)
        await made.start(force_build=False)
        self.addAsyncCleanup(made.stop, delete=True)
        return made

    def trial(self, **others: Any) -> Any:
        settings = {"root": "/", "network": "none", **others.pop("environment_kwargs", {})}
        return trials.Trial(trials.TrialConfig(
            task_dir=self.task, trial_dir=Path(tempfile.mkdtemp(dir=self.dir)) / "trial",
            import_path="statefork.harbor:WaypointEnvironment", environment_kwargs=settings, **others))

    async def sees(self, where: WaypointEnvironment, command: str, **options: Any) -> Any:
        """Exit code, standard output and standard error."""
        result = await where.exec(command, **options)
        return result.return_code, result.stdout, result.stderr


class TrialTest(HarborTest):
    async def test_the_oracle_is_rewarded_and_an_idle_agent_is_not(self) -> None:
        trial = self.trial()
        self.assertIsInstance(trial.environment, base.BaseEnvironment)
        self.assertEqual(await trial.run(agents.OracleAgent(self.task, trial.paths.agent_dir)), 1.0)
        self.assertEqual((trial.paths.agent_dir / "oracle.txt").read_text(), "working\n")
        self.assertEqual(await self.trial().run(agents.NopAgent()), 0.0)
        self.assertEqual(self.world.client().list_sessions(), [])

    async def test_processes_left_by_an_agent_do_not_block_the_verifier(self) -> None:
        class Careless(agents.NopAgent):  # type: ignore[misc, name-defined]
            async def run(self, instruction: str, environment: Any, context: Any) -> None:
                await environment.exec("echo solved >answer; sleep 1000 & cat /dev/zero >/dev/null & echo left")
                await environment.exec("while :; do echo still here; sleep 0.01; done & true")

        self.assertEqual(await self.trial().run(Careless()), 1.0)

    async def test_an_agent_that_restores_is_rewarded(self) -> None:
        attempts = ["rm -rf /app; kill -9 -1; false", "touch /app/answer; chmod 0 /app/answer; (exit 5)",
                    "[ ! -e answer ] && echo solved >answer"]
        self.assertEqual(await self.trial().run(agents.RetryingAgent(attempts)), 1.0)

    async def test_an_agent_that_times_out_leaves_nothing_running(self) -> None:
        class Slow(agents.NopAgent):  # type: ignore[misc, name-defined]
            async def run(self, instruction: str, environment: Any, context: Any) -> None:
                await environment.exec("sleep 1000")

        trial = self.trial(agent_timeout_sec=0.5)
        with self.assertRaises(asyncio.TimeoutError):
            await trial.run(Slow())
        self.assertEqual(self.world.client().list_sessions(), [])

    async def test_settings_of_the_task_apply(self) -> None:
        os.environ["OF_THE_HOST"] = "from here"
        config = base.EnvironmentConfig(env={"A": "${OF_THE_HOST}"}, workdir="/srv/elsewhere", memory_mb=512, cpus=1,
                                        healthcheck='[ "$A" = "from here" ] && [ "$PWD" = /srv/elsewhere ]')
        trial = self.trial(environment=config, agent_user="nobody",
                           environment_kwargs={"ttl": "3600"})
        users = []

        class Asking(agents.NopAgent):  # type: ignore[misc, name-defined]
            async def run(self, instruction: str, environment: Any, context: Any) -> None:
                users.append((await environment.exec("id -un; echo $A; touch /logs/agent/mine")).stdout)
                info = await environment.terminal.info()
                users.append((info.memory_bytes, info.cpus, info.ttl, info.labels))

        await trial.run(Asking())
        self.assertEqual(users, ["nobody\nfrom here\n",
                                 (512 << 20, 1, 3600, {"harbor": "task__1", "task": "task"})])


class ExecTest(HarborTest):
    async def test_every_command_is_a_fresh_process_without_a_terminal(self) -> None:
        env = await self.start()
        self.assertEqual(await self.sees(env, "echo out; echo err >&2; exit 3"), (3, "out\n", "err\n"))
        await env.exec("cd /usr; export X=1")
        self.assertEqual(await self.sees(env, "pwd; echo [$X]; tty; cat; umask"),
                         (0, "/app\n[]\nnot a tty\n0022\n", ""))
        self.assertEqual(await self.sees(env, "printf '\\xff' "), (0, "\ufffd", ""))
        self.assertEqual(await self.sees(env, "kill -9 $$"), (137, "", ""))
        self.assertEqual(await self.sees(env, "echo 'a  b' \"$0\" \\; #x"), (0, "a  b bash ;\n", ""))

    async def test_directory_environment_and_user_are_as_requested(self) -> None:
        env = await self.start(persistent_env={"A": "persistent", "B": "kept"})
        self.assertEqual((await self.sees(env, "pwd", cwd="/usr"))[1], "/usr\n")
        self.assertEqual((await self.sees(env, "pwd", cwd="/no/such"))[0], 126)
        self.assertEqual((await self.sees(env, "echo $A $B", env={"A": "given"}))[1], "given kept\n")
        self.assertEqual((await self.sees(env, "id -un; echo $HOME; echo x >/dev/stderr", user="nobody")),
                         (0, "nobody\n/nonexistent\n", "x\n"))
        self.assertEqual((await self.sees(env, "id -u", user=4242))[1], "4242\n")
        with env.with_default_user("nobody"):
            self.assertEqual((await self.sees(env, "id -un"))[1], "nobody\n")
            self.assertEqual((await self.sees(env, "id -un", user="root"))[1], "root\n")
        with self.assertRaises(StateForkError):
            await env.exec("true", user="nobody-of-this-name")

    async def test_background_processes_continue_and_may_print(self) -> None:
        env = await self.start()
        left = "trap 'echo >>/app/broken' PIPE; while :; do echo tick; echo tock >&2; echo >>/app/ticks; sleep 0.01; done"
        code, out, _ = await self.sees(env, f"({left}) & echo begun")
        self.assertEqual((code, out.count("begun")), (0, 1))
        for _ in range(2):
            await env.exec("rm -f ticks; until [ -e ticks ]; do sleep 0.01; done", timeout_sec=60)
            self.assertEqual((await self.sees(env, "ls broken"))[0], 2)
            await env.restore(await env.snapshot())

    async def test_all_output_arrives_with_a_background_process_left(self) -> None:
        env = await self.start()
        for tail in ("", "sleep 1000 &"):
            _, out, err = await self.sees(env, f"seq 1 300000; seq 1 1000 >&2; {tail}")
            self.assertEqual(out, "".join(f"{i}\n" for i in range(1, 300001)))
            self.assertEqual(err, "".join(f"{i}\n" for i in range(1, 1001)))

    async def test_a_command_that_takes_too_long_is_ended_and_raises(self) -> None:
        env = await self.start()
        for command in ("echo part; sleep 4711", "trap '' TERM; echo part; sleep 4711"):
            with self.assertRaises(ExecTimeout) as late:
                await env.exec(command, timeout_sec=1)
            self.assertEqual(late.exception.result.stdout, "part\n")
            self.assertNotIsInstance(late.exception, TimeoutError)
            self.assertEqual((await self.sees(env, "pgrep -x -f 'sleep 4711'"))[0], 1)

    async def test_a_cancelled_command_is_ended(self) -> None:
        env = await self.start()
        waiting = asyncio.ensure_future(env.exec("echo >begun; trap '' TERM; sleep 4712"))
        await env.exec("until [ -e begun ]; do sleep 0.01; done", timeout_sec=60)
        waiting.cancel()
        with self.assertRaises(asyncio.CancelledError):
            await waiting
        self.assertEqual((await self.sees(env, "pgrep -x -f 'sleep 4712'"))[0], 1)

    async def test_commands_run_concurrently_with_each_other_and_the_shell(self) -> None:
        env = await self.start()
        await env.exec("mkfifo one two")
        shell = await env.terminal.start_command("cd /app; read x <two; echo got $x")
        both = await asyncio.gather(env.exec("read x <one; echo $x >two"), env.exec("echo hello >one"))
        self.assertEqual([result.return_code for result in both], [0, 0])
        self.assertEqual((await shell.wait(timeout=60)).output, "got hello\n")

    async def test_tmux_works_through_exec_and_is_restored(self) -> None:
        env = await self.start()

        async def shows(text: str) -> None:
            result = await env.exec(f"until tmux capture-pane -p -t work | grep -qx '{text}'; do sleep 0.05; done",
                                    timeout_sec=60)
            self.assertEqual(result.return_code, 0)

        await env.exec("tmux new-session -x 160 -y 40 -d -s work 'bash --login'")
        await env.exec("tmux send-keys -t work 'x=kept; echo re''ady' Enter")
        await shows("ready")
        node = await env.snapshot()
        await env.exec("tmux kill-server")
        await env.restore(node)
        await env.exec("tmux send-keys -t work 'echo x is $x' Enter")
        await shows("x is kept")


class FilesTest(HarborTest):
    async def test_files_go_in_and_come_out(self) -> None:
        env = await self.start()
        here = self.dir / "here.sh"
        here.write_text("#!/bin/sh\necho ran $0\n")
        here.chmod(0o755)
        await env.upload_file(here, "/made/on/the/way/there.sh")
        self.assertEqual((await self.sees(env, "/made/on/the/way/there.sh"))[1], "ran /made/on/the/way/there.sh\n")
        await env.upload_file(str(here), "/made")
        self.assertEqual((await self.sees(env, "/made/here.sh"))[1], "ran /made/here.sh\n")
        await env.upload_file(here, "relative.sh")
        await env.download_file("/app/relative.sh", self.dir / "new" / "back.sh")
        self.assertEqual((self.dir / "new" / "back.sh").read_bytes(), here.read_bytes())
        with self.assertRaises(FileNotFoundError):
            await env.upload_file(self.dir / "nothing", "/made")
        with self.assertRaises(StateForkError):
            await env.download_file("/no/such/file", self.dir / "nothing")

    async def test_directories_go_in_and_come_out_with_modes_and_links(self) -> None:
        env = await self.start()
        tree = self.dir / "tree"
        (tree / "deep" / "empty").mkdir(parents=True)
        (tree / "deep" / "\u00e4 b'c").write_bytes(bytes(range(256)))
        (tree / "run").write_text("#!/bin/sh\necho ran\n")
        (tree / "run").chmod(0o755)
        (tree / "link").symlink_to("deep/\u00e4 b'c")
        await env.exec("mkdir -p /target; echo stays >/target/stays")
        await env.upload_dir(tree, "/target")
        self.assertEqual((await self.sees(env, "./run; stat -c '%U %a' run; cat stays; ls deep", cwd="/target"))[1],
                         "ran\nroot 755\nstays\nempty\n\u00e4 b'c\n")
        (self.dir / "back").mkdir()
        (self.dir / "back" / "run").write_text("old")
        await env.download_dir("/target", self.dir / "back")
        self.assertEqual((self.dir / "back" / "link").read_bytes(), bytes(range(256)))
        self.assertTrue(os.access(self.dir / "back" / "run", os.X_OK))
        self.assertTrue((self.dir / "back" / "deep" / "empty").is_dir())
        with self.assertRaises(StateForkError):
            await env.download_dir("/no/such/directory", self.dir / "back")

    async def test_files_of_any_size_are_whole(self) -> None:
        env = await self.start()
        large = self.dir / "large"
        large.write_bytes(os.urandom(1 << 20) * 21)
        await env.upload_file(large, "/app/large")
        await env.exec("cat large large large large >larger")
        await env.download_dir("/app", self.dir / "back")
        self.assertEqual((self.dir / "back" / "large").read_bytes(), large.read_bytes())
        self.assertEqual((self.dir / "back" / "larger").stat().st_size, 84 << 20)
        await env.download_file("/app/larger", self.dir / "larger")
        self.assertEqual((self.dir / "larger").read_bytes(), large.read_bytes() * 4)
        self.assertEqual((await self.sees(env, "ls -A /tmp /dev/shm"))[1], "/dev/shm:\n\n/tmp:\n")

    def test_an_archive_writes_nothing_outside(self) -> None:
        buffer = io.BytesIO()
        with tarfile.open(fileobj=buffer, mode="w") as archive:
            def add(name: str, kind: bytes = tarfile.REGTYPE, link: str = "") -> None:
                entry = tarfile.TarInfo(name)
                entry.type, entry.linkname, entry.size = kind, link, 3 if kind == tarfile.REGTYPE else 0
                archive.addfile(entry, io.BytesIO(b"bad"))

            add("../outside")
            add("/absolute")
            add("a/../../outside")
            add("up", tarfile.SYMTYPE, "..")
            add("up/outside")
            add("root", tarfile.SYMTYPE, str(self.dir))
            add("root/outside")
            add("pipe", tarfile.FIFOTYPE)
            add("kept")
        transfer.unpack(buffer.getvalue(), self.dir / "inside")
        self.assertEqual(sorted(path.name for path in (self.dir / "inside").iterdir()), ["absolute", "kept", "root", "up"])
        self.assertFalse((self.dir / "inside" / "up").is_symlink())
        self.assertEqual({path.name for path in self.dir.iterdir()}, {"task", "inside"})


class StatesTest(HarborTest):
    async def test_a_restore_brings_back_files_and_processes(self) -> None:
        env = await self.start()
        await env.exec("echo before >f; (n=0; while :; do n=$((n + 1)); echo $n >counter; sleep 0.05; done) &")
        await env.exec("until [ -e counter ]; do sleep 0.01; done")
        node = await env.snapshot("here", notes={"score": "1"})
        self.assertEqual((node.kind, node.name), ("physical", "here"))
        await env.exec("echo after >f; pkill -f counter; rm -rf /etc")
        await env.restore("here")
        self.assertEqual((await self.sees(env, "cat f; test -d /etc && echo whole"))[1], "before\nwhole\n")
        await env.exec("rm counter; until [ -e counter ]; do sleep 0.01; done", timeout_sec=60)

    async def test_a_restore_fails_a_pending_exec_with_session_lost(self) -> None:
        env = await self.start()
        node = await env.snapshot()
        waiting = asyncio.ensure_future(env.exec("echo >begun; sleep 1000"))
        await env.exec("until [ -e begun ]; do sleep 0.01; done", timeout_sec=60)
        await env.restore(node)
        with self.assertRaises(SessionLostError):
            await waiting
        self.assertEqual((await self.sees(env, "ls begun"))[0], 2)

    async def test_forks_continue_independently(self) -> None:
        env = await self.start()
        first = await env.snapshot()
        await env.exec("echo common >f")
        forks = await env.fork(3)
        await asyncio.gather(*(fork.exec(f"echo {number} >>f") for number, fork in enumerate(forks)))
        seen = [(await self.sees(fork, "cat f"))[1] for fork in (*forks, env)]
        self.assertEqual(seen, ["common\n0\n", "common\n1\n", "common\n2\n", "common\n"])
        self.assertEqual(len({fork.session_id for fork in (*forks, env)}), 4)
        for fork in forks:
            await fork.stop(delete=True)
        [again] = await env.fork(node=first)
        self.assertEqual((await self.sees(again, "cat f"))[0], 1)
        await again.stop(delete=True)
        self.assertEqual((await self.sees(env, "cat f"))[1], "common\n")

    async def test_verifying_a_fork_does_not_disturb_the_environment(self) -> None:
        env = await self.start()
        (self.dir / "trial" / "verifier").mkdir(parents=True)
        rewards = []
        for command in ("true", "echo solved >/app/answer"):
            await env.exec(command)
            [judge] = await env.fork()
            rewards.append(await trials.verify(judge, self.task / "tests", judge.trial_paths))
            await judge.stop(delete=True)
        self.assertEqual(rewards, [0.0, 1.0])
        self.assertEqual(await self.sees(env, "ls -d /tests /logs/verifier/reward.txt 2>&-"), (2, "", ""))


class LifeTest(HarborTest):
    def refuse(self, error: Any, text: str, config: Any = None, **others: Any) -> None:
        with self.assertRaisesRegex(error, text):
            self.make(config, **others)

    def test_unsupported_settings_are_refused_before_anything_runs(self) -> None:
        self.refuse(UnsupportedError, "gpus", base.EnvironmentConfig(gpus=1))
        self.refuse(UnsupportedError, "allowlist", network_policy=base.NetworkPolicy("allowlist", ["a"]), network=None)
        self.refuse(UnsupportedError, "allowlist", network_policy=base.NetworkPolicy("allowlist", ["a"]))
        self.refuse(UnsupportedError, "without a network", network_policy=base.NetworkPolicy("no-network"), network="host")
        self.refuse(UnsupportedError, "'bridge'", network="bridge")
        self.refuse(UnsupportedError, "STATEFORK_ROOT", root=None)
        self.refuse(FileNotFoundError, "/no/such/root", root="/no/such/root")
        self.refuse(ValueError, "compose", extra_docker_compose=[Path("x")])
        (self.task / "environment" / "docker-compose.yaml").write_text("services: {}\n")
        self.refuse(UnsupportedError, "docker-compose.yaml")

    def test_the_root_comes_from_options_image_or_environment(self) -> None:
        (self.dir / "roots" / "task").mkdir(parents=True)
        root = str(self.dir / "roots" / "task")
        self.assertEqual(self.make(root=str(self.dir / "roots" / "{name}"))._root, root)
        self.assertEqual(self.make(base.EnvironmentConfig(docker_image=root), root=None)._root, root)
        self.assertEqual(self.make(base.EnvironmentConfig(docker_image="debian:12"), root=None, backend="docker")._root,
                         "image:debian:12")
        os.environ["STATEFORK_ROOT"] = str(self.dir / "roots" / "{name}")
        self.addCleanup(os.environ.pop, "STATEFORK_ROOT")
        self.assertEqual(self.make(base.EnvironmentConfig(docker_image="debian:12"), root=None)._root, root)

    async def test_the_network_follows_the_task(self) -> None:
        count = "ls /sys/class/net | grep -vc ^lo$"
        hidden = await self.start(network=None, network_policy=base.NetworkPolicy("no-network"))
        self.assertEqual((await self.sees(hidden, count))[1], "0\n")
        public = await self.start(network=None)
        ours = subprocess.run(["readlink", "/proc/self/ns/net"], capture_output=True, text=True, check=True).stdout
        self.assertEqual((await self.sees(public, "readlink /proc/self/ns/net"))[1], ours)

    async def test_without_delete_the_session_stays(self) -> None:
        env = await self.start()
        session = env.terminal._at.session
        await env.exec("echo kept >f")
        await env.stop(delete=False)
        with self.assertRaises(StateForkError):
            await env.exec("true")
        kept = self.world.client().connect(session, keep=False)
        with kept:
            self.assertEqual(kept.read_text("/app/f"), "kept\n")
        await env.stop(delete=True)

    async def test_a_cancelled_start_leaves_nothing(self) -> None:
        env = self.make()
        starting = asyncio.ensure_future(env.start(force_build=False))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        starting.cancel()
        with self.assertRaises(asyncio.CancelledError):
            await starting
        await env.stop(delete=True)
        self.assertEqual(self.world.client().list_sessions(), [])
        broken = self.make(base.EnvironmentConfig(workdir="/proc/cannot/be/made"))
        with self.assertRaises(StateForkError):
            await broken.start(force_build=True)
        self.assertEqual(self.world.client().list_sessions(), [])

    async def test_attach_runs_statefork_shell(self) -> None:
        env = await self.start()
        script = ("import asyncio, sys\nfrom types import SimpleNamespace\nfrom statefork.aio import connect\n"
                  "from statefork.harbor import WaypointEnvironment\n"
                  "async def attach():\n"
                  "    made = WaypointEnvironment('/nowhere', 'n', 's', None, SimpleNamespace(), root='/')\n"
                  "    made._terminal = await connect(sys.argv[1])\n"
                  "    await made.attach()\n"
                  "asyncio.run(attach())\n")
        ran = subprocess.run([sys.executable, "-B", "-c", script, env.terminal._at.session], stdout=subprocess.PIPE,
                             text=True, check=True, env={**os.environ, "STATEFORK_PROGRAM": "/bin/echo",
                                                         "PYTHONPATH": str(SOURCE)})
        self.assertEqual(ran.stdout, f"shell {env.terminal._at.session}/main\n")

    def test_type_and_capabilities_are_reported_to_harbor(self) -> None:
        self.assertEqual(WaypointEnvironment.type(), "statefork")
        self.assertEqual(WaypointEnvironment.resource_capabilities(),
                         importlib.import_module("harbor.environments.capabilities").EnvironmentResourceCapabilities(
                             cpu_limit=True, memory_limit=True))
        made = self.make()
        self.assertTrue(made.capabilities.disable_internet)
        self.assertFalse(made.capabilities.mounted)
        WaypointEnvironment.preflight()
        with environment(STATEFORK_SOCKET=str(self.dir / "none"), STATEFORK_PROGRAM="/no/such/program"):
            with self.assertRaises(SystemExit):
                WaypointEnvironment.preflight()


class ReleasesTest(unittest.TestCase):
    """Other releases of Harbor, and no Harbor."""

    def load(self, path: str, script: str) -> Any:
        ran = subprocess.run([sys.executable, "-I", "-S", "-B", "-W", "error", "-c",
                              f"import sys, json; sys.path[:0] = {[str(SOURCE), path]!r}\n{script}"],
                             capture_output=True, text=True, check=False)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        return json.loads(ran.stdout)

    def test_the_environment_works_without_harbor(self) -> None:
        script = ("from types import SimpleNamespace\nfrom statefork.harbor import WaypointEnvironment as W\n"
                  "e = W('/nowhere', 'n', 's', None, SimpleNamespace(env={'A': '1'}, workdir='/w'), root='/', "
                  "persistent_env={'B': '2'})\n"
                  "print(json.dumps([W.__mro__[2].__name__, e._merge_env({'C': '3'}), e._workdir, e.type()]))")
        self.assertEqual(self.load("", script),
                         ["LocalEnvironment", {"A": "1", "B": "2", "C": "3"}, "/w", "statefork"])

    def test_releases_with_separate_capability_methods_are_supported(self) -> None:
        with tempfile.TemporaryDirectory() as directory:
            package = Path(directory, "harbor", "environments")
            package.mkdir(parents=True)
            Path(directory, "harbor", "__init__.py").touch()
            (package / "__init__.py").touch()
            (package / "base.py").write_text(
                "from abc import ABC, abstractmethod\nfrom dataclasses import dataclass\n"
                "@dataclass\nclass ExecResult:\n    return_code: int\n    stdout: str = ''\n    stderr: str = ''\n"
                "class BaseEnvironment(ABC):\n"
                "    def __init__(self, environment_dir, environment_name, session_id, trial_paths, task_env_config):\n"
                "        self.environment_dir, self.task_env_config = environment_dir, task_env_config\n"
                "        self._validate_definition()\n" + "".join(
                    f"    @property\n    @abstractmethod\n    def {name}(self): ...\n"
                    for name in ("is_mounted", "supports_gpus", "can_disable_internet")))
            script = ("from pathlib import Path\nfrom types import SimpleNamespace\n"
                      "from statefork.harbor import WaypointEnvironment as W\n"
                      "e = W(Path('/nowhere'), 'n', 's', None, SimpleNamespace(), root='/')\n"
                      "print(json.dumps([W.__mro__[2].__module__, e.is_mounted, e.supports_gpus, "
                      "e.can_disable_internet, e.type().value]))")
            self.assertEqual(self.load(directory, script),
                             ["harbor.environments.base", False, False, True, "statefork"])

    def test_the_newest_release_reports_no_warning(self) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            type("Another", (WaypointEnvironment,), {})


if __name__ == "__main__":
    unittest.main()
