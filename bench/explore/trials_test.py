"""Which runs there are, and that they are comparable."""

import unittest

from trials import CONTENDERS, Contender, Task, all_tasks, all_trials, search_options

TASKS = [Task("one", ("files",), True), Task("two", ("files",), True)]


class Budgets(unittest.TestCase):
    def test_every_policy_may_try_the_same_number_of_actions(self):
        for policy in ("mcts", "pass@k"):
            options = search_options(policy, 42)
            self.assertEqual(options[options.index("--max-nodes") + 1], "42", policy)

    def test_nothing_else_ends_the_rollouts_before(self):
        options = search_options("pass@k", 42)
        self.assertEqual(options[options.index("--attempts") + 1], "42", "an attempt tries one action at least")


class Trials(unittest.TestCase):
    def test_all_contenders_take_turns_on_a_task(self):
        contenders = [Contender("a", "a"), Contender("b", "b", ("eager",))]
        order = [(trial.round, trial.task, trial.contender, trial.materialization, trial.policy)
                 for trial in all_trials(TASKS, contenders, ["eager", "smart"], ["mcts"], 2)]
        of_a_task = [("a", "eager", "mcts"), ("a", "smart", "mcts"), ("b", "eager", "mcts")]
        self.assertEqual(order, [(number, task, *rest) for number in (1, 2) for task in ("one", "two") for rest in of_a_task])

    def test_where_there_is_nothing_to_decide_there_is_one_run(self):
        replay = [each for each in CONTENDERS if each.name == "replay"]
        for wanted in (["eager"], ["smart"], ["eager", "smart"]):
            self.assertEqual(len(list(all_trials(TASKS, replay, wanted, ["mcts"], 1))), 2)


class TheTasks(unittest.TestCase):
    """The mix that the paper has."""

    def test_there_are_enough_of_each_kind(self):
        tasks = all_tasks()
        self.assertGreaterEqual(len(tasks), 24)
        self.assertTrue(all("files" in task.states for task in tasks))
        for state, least in (("shell", len(tasks) * 2 // 3), ("processes", 5), ("services", 4)):
            self.assertGreaterEqual(sum(state in task.states for task in tasks), least, state)


if __name__ == "__main__":
    unittest.main()
