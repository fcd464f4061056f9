"""The runs of the benchmark are comparable."""

import re
import shutil
import unittest
from dataclasses import replace

from trials import TASKS as TASK_FILES
from trials import CONTENDERS, THINKING_TASKS, Contender, Task, all_tasks, all_trials, search_options, thinking_trials

TASKS = [Task("one", ("files",), True), Task("two", ("files",), True)]


class Budgets(unittest.TestCase):
    def test_every_policy_may_try_the_same_number_of_actions(self):
        for policy in ("mcts", "pass@k"):
            options = search_options(policy, 42)
            self.assertEqual(options[options.index("--max-nodes") + 1], "42", policy)

    def test_only_the_number_of_actions_limits_rollouts(self):
        options = search_options("pass@k", 42)
        self.assertEqual(options[options.index("--attempts") + 1], "42", "an attempt tries at least one action")


class Trials(unittest.TestCase):
    def test_all_contenders_take_turns_on_a_task(self):
        contenders = [Contender("a", "a"), Contender("b", "b", ("eager",))]
        order = [(trial.round, trial.task, trial.contender, trial.materialization, trial.policy)
                 for trial in all_trials(TASKS, contenders, ["eager", "smart"], ["mcts"], 2)]
        of_a_task = [("a", "eager", "mcts"), ("a", "smart", "mcts"), ("b", "eager", "mcts")]
        self.assertEqual(order, [(number, task, *rest) for number in (1, 2) for task in ("one", "two") for rest in of_a_task])

    def test_a_single_materialization_gives_one_run(self):
        replay = [each for each in CONTENDERS if each.name == "replay"]
        for wanted in (["eager"], ["smart"], ["eager", "smart"]):
            self.assertEqual(len(list(all_trials(TASKS, replay, wanted, ["mcts"], 1))), 2)


class WithAModelThatThinks(unittest.TestCase):
    def test_thinking_trials_repeat_a_part_of_the_runs(self):
        trials = list(all_trials(all_tasks(), CONTENDERS, ["eager", "smart"], ["mcts", "pass@k"], 1))
        thinking = thinking_trials(trials, 1000)
        self.assertEqual({each.think_ms for each in thinking}, {1000})
        self.assertEqual({replace(each, think_ms=0) for each in thinking},
                         {each for each in trials if each.task in THINKING_TASKS and each.policy == "mcts" and
                          each.materialization == "eager" and each.contender in ("waypoint-auto", "waypoint-criu", "replay", "overlay")})
        self.assertEqual(thinking_trials(trials, 0), [])

    def test_thinking_tasks_cover_every_kind(self):
        tasks = [task for task in all_tasks() if task.name in THINKING_TASKS]
        self.assertEqual(len(tasks), len(THINKING_TASKS))
        self.assertGreaterEqual(len(tasks), 8)
        for state, least in (("shell", len(tasks) * 2 // 3), ("processes", 2), ("services", 2)):
            self.assertGreaterEqual(sum(state in task.states for task in tasks), least, state)
        self.assertTrue(any(task.needs_files_alone for task in tasks))
        self.assertTrue(any(not task.is_deterministic for task in tasks))


class Contenders(unittest.TestCase):
    def test_every_engine_of_waypoint_is_a_contender(self):
        engines = {each.options[each.options.index("--engine") + 1] for each in CONTENDERS if each.backend == "waypoint"}
        self.assertEqual(engines, {"auto", "criu", "native"})

    def test_only_waypoint_native_is_not_run_by_default(self):
        self.assertEqual([each.name for each in CONTENDERS if not each.is_usual], ["waypoint-native"])


class TheTasks(unittest.TestCase):
    """The mix of tasks in the paper."""

    def test_shell_functions_do_not_have_names_of_programs(self):
        """If a restore loses a function, the program would run instead and might wait for input."""
        for file in sorted(path for path in TASK_FILES.rglob("*") if path.is_file()):
            for name in re.findall(r"^([a-z_]+) ?\(\) ?[{(]", file.read_text(errors="replace"), re.MULTILINE):
                self.assertIsNone(shutil.which(name, path="/usr/sbin:/usr/bin:/sbin:/bin"), f"{name} of {file}")

    def test_each_kind_has_enough_tasks(self):
        tasks = all_tasks()
        self.assertGreaterEqual(len(tasks), 24)
        self.assertTrue(all("files" in task.states for task in tasks))
        for state, least in (("shell", len(tasks) * 2 // 3), ("processes", 5), ("services", 4)):
            self.assertGreaterEqual(sum(state in task.states for task in tasks), least, state)


if __name__ == "__main__":
    unittest.main()
