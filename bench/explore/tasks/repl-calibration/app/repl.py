"""One line of Python after the other, from standard input; values are printed, failures too."""
import sys

sys.path.insert(0, "/app")
sys.dont_write_bytecode = True
names = {}
for line in sys.stdin:
    try:
        exec(compile(line.strip(), "<line>", "single"), names)
    except Exception as problem:
        print(f"{type(problem).__name__}: {problem}")
    sys.stdout.flush()
