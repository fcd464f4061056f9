"""Runs the examples in the docstrings. tests/docs runs those of the manual."""

import doctest
import importlib
import pkgutil
import unittest

import statefork
from world import World, environment

OPTIONS = doctest.ELLIPSIS


class DocumentationTest(unittest.TestCase):
    def setUp(self) -> None:
        self.world = World()
        self.addCleanup(self.world.close)
        variables = environment(**self.world.variables())
        variables.__enter__()
        self.addCleanup(variables.__exit__, None, None, None)

    def test_every_docstring_example_holds(self) -> None:
        """Runs each docstring in a session of its own, `s`."""
        runner = doctest.DocTestRunner(verbose=False, optionflags=OPTIONS)
        for found in pkgutil.walk_packages(statefork.__path__, "statefork."):
            module = importlib.import_module(found.name)
            for test in doctest.DocTestFinder(exclude_empty=True).find(module):
                if not test.examples:
                    continue
                with statefork.build_session("waypoint", root="/") as s:
                    test.globs.update(s=s, build_session=statefork.build_session)
                    runner.run(test)
        self.assertEqual(runner.failures, 0)
        self.assertGreater(runner.tries, 30)


if __name__ == "__main__":
    unittest.main()
