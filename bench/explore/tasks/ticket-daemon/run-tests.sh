#!/bin/bash
# One line for each test function of test_outputs.py, as `pytest -rA` has them. Exit status 0: all passed.
cd "${TEST_DIR:-/tests}" && exec python3 -B - <<'END'
import sys

import test_outputs

print("=== short test summary info ===")
failed = 0
for name, test in list(vars(test_outputs).items()):
    if not name.startswith("test_"):
        continue
    try:
        test()
        print(f"PASSED test_outputs.py::{name}")
    except Exception as problem:
        failed += 1
        print(f"FAILED test_outputs.py::{name} - {type(problem).__name__}: {problem}".split("\n")[0])
sys.exit(failed > 0)
END
