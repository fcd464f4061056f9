import subprocess
from pathlib import Path


def git(*words):
    return subprocess.run(["git", "-C", "/app/repo", *words], check=True, capture_output=True, text=True).stdout


def test_the_culprit_is_named():
    culprit = Path("/app/culprit").read_text().strip()
    assert git("log", "-1", "--format=%H %s", culprit).strip() == f"{culprit} Faster rounding"


def test_only_what_was_seen_was_marked():
    marks = [line.split()[2:] for line in Path("/app/bisect.log").read_text().splitlines()
             if line.startswith("git bisect") and "start" not in line]
    assert len(marks) == 6
    for mark, commit in marks:
        number = len(git("rev-list", commit).split())
        assert mark == ("bad" if number >= 10 else "good"), (mark, number)


def test_main_has_the_revert_and_all_before():
    subjects = git("log", "--reverse", "--format=%s", "main").splitlines()
    assert len(subjects) == 16 and subjects[9] == "Faster rounding"
    assert subjects[-1] == 'Revert "Faster rounding"'
    assert git("symbolic-ref", "HEAD").strip() == "refs/heads/main"
    assert git("for-each-ref", "--format=%(refname)").split() == ["refs/heads/main", "refs/tags/v1.0"]
    assert git("rev-list", "--count", "v1.0").strip() == "2"


def test_the_tree_is_clean_and_right():
    assert git("status", "--porcelain") == ""
    assert git("stash", "list") == ""
    assert not Path("/app/repo/.git/BISECT_START").exists()
    assert subprocess.run(["/app/check"], capture_output=True, text=True).stdout == "right\n"
