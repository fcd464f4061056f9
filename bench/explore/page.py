"""Formats outcomes as tables in Markdown, and writes plots and numbers next to them."""

import json
import textwrap
from dataclasses import asdict
from pathlib import Path
from typing import List, Optional, Sequence

from outcomes import Outcome, Row, base_of, by_group, claims_of, row_of, time_ratio
from plots import paired, to_svg
from trials import Task

MARK = "<!-- what follows is written by bench/explore/run.py -->\n"  # text before it is kept

COLUMNS = ("backend", "kept", "policy", "solved", "files", "shell", "live", "lost", "nodes", "time, s", "state", "commands", "tests",
           "snapshot, ms", "restore, ms", "kept, MB")
THINKING_COLUMNS = ("backend", "kept", "policy", "solved", "nodes", "time, s", "model", "state", "commands", "tests", "snapshot, ms",
                    "restore, ms")
STATE_AIM = 0.05  # limit of the states' share of the time, if the model takes time


def kind_of(task: Task) -> str:
    """The most demanding kind of state that the task needs."""
    if "processes" in task.states or "services" in task.states:
        return "live"
    return "shell" if "shell" in task.states else "files"


def solved_text(outcomes: Sequence[Outcome]) -> str:
    return f"{sum(outcome.solved for outcome in outcomes)}/{len(outcomes)}" if outcomes else "-"


def cells_of(row: Row, outcomes: Sequence[Outcome], kinds: dict) -> List[str]:
    contender, materialization, policy = row.group
    return [contender, materialization, policy, solved_text(outcomes),
            *(solved_text([each for each in outcomes if kinds[each.task] == kind]) for kind in ("files", "shell", "live")),
            str(row.lost_nodes), f"{row.nodes:.0f}", f"{row.wall_s:.1f}", f"{row.state_share:.0%}", f"{row.command_share:.0%}",
            f"{row.grade_share:.0%}", f"{row.snapshot_ms:.0f}", f"{row.restore_ms:.0f}", f"{row.megabytes:.1f}"]


def thinking_cells(row: Row, outcomes: Sequence[Outcome]) -> List[str]:
    return [*row.group, solved_text(outcomes), f"{row.nodes:.0f}", f"{row.wall_s:.1f}", f"{row.model_share:.1%}", f"{row.state_share:.1%}",
            f"{row.command_share:.1%}", f"{row.grade_share:.1%}", f"{row.snapshot_ms:.0f}", f"{row.restore_ms:.0f}"]


def thinking_part(outcomes: Sequence[Outcome]) -> str:
    """The table of runs with a simulated model time."""
    groups = by_group(outcomes)
    rows = [row_of(group, some) for group, some in groups.items()]
    tasks = list(dict.fromkeys(each.task for each in outcomes))
    text = "\n" + wrapped(f"With a model that takes {outcomes[0].think_ms / 1000:g} s for each call; shares are of the whole time. "
                          f"{len(tasks)} tasks: {', '.join(tasks)}.") + "\n"
    text += table(THINKING_COLUMNS, [thinking_cells(row, groups[row.group]) for row in rows]) + "\n"
    for row in rows:
        if row.group[0].startswith("waypoint"):
            found = "yes" if row.state_share <= STATE_AIM else "**no**"
            text += f"- {row.group[0]}: states take at most {STATE_AIM:.0%} of the time (runs: {row.runs}): {found}\n"
    return text


def wrapped(text: str, indent: str = "") -> str:
    return textwrap.fill(text, 100, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False) + "\n"


def table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    widths = [max(len(row[i]) for row in (columns, *rows)) for i in range(len(columns))]

    def shown(cells: Sequence[str]) -> str:
        padded = [cell.ljust(width) if i < 3 else cell.rjust(width) for i, (cell, width) in enumerate(zip(cells, widths))]
        return "| " + " | ".join(padded) + " |\n"

    rule = "|" + "|".join("-" * (width + 2) if i < 3 else "-" * (width + 1) + ":" for i, width in enumerate(widths)) + "|\n"
    return shown(columns) + rule + "".join(map(shown, rows))


def decider_lines(outcomes: Sequence[Outcome]) -> List[str]:
    """Time and bytes of smart relative to eager, over the runs with the same result."""
    lines = []
    for (contender, _, policy), pairs in pairs_by_group(outcomes).items():
        time = sum(smart.wall_us for _, smart in pairs) / max(sum(eager.wall_us for eager, _ in pairs), 1)
        size = sum(smart.bytes for _, smart in pairs) / max(sum(eager.bytes for eager, _ in pairs), 1)
        lines.append(f"- {contender}, {policy}: {time:.0%} of the time, {size:.0%} of the bytes ({len(pairs)} runs)")
    return lines


def pairs_by_group(outcomes: Sequence[Outcome]) -> dict:
    groups: dict = {}
    for eager, smart in paired(outcomes):
        if eager.solved == smart.solved:
            groups.setdefault((eager.contender, "", eager.policy), []).append((eager, smart))
    return groups


def time_lines(outcomes: Sequence[Outcome]) -> List[str]:
    groups, base = by_group(outcomes), base_of(outcomes)
    lines = []
    for (contender, materialization, policy), some in groups.items():
        ratio, count = time_ratio(some, groups.get((base, "eager", policy), []))
        if count and contender != base and materialization == "eager":
            lines.append(f"- {contender}, {policy}: {ratio:.1f} times as long ({count} runs)")
    return lines


def unsolved_lines(outcomes: Sequence[Outcome]) -> List[str]:
    lines = []
    for (contender, materialization, policy), group in by_group(outcomes).items():
        tasks = list(dict.fromkeys(each.task for each in group if not each.solved))
        if tasks:
            lines.append(f"| {contender}, {materialization}, {policy} | {', '.join(tasks)} |")
    return lines


def to_markdown(everything: Sequence[Outcome], tasks: Sequence[Task], facts: Sequence[str]) -> str:
    outcomes = [each for each in everything if not each.think_ms]
    thinking = [each for each in everything if each.think_ms]
    kinds = {task.name: kind_of(task) for task in tasks}
    rows = [cells_of(row_of(group, some), some, kinds) for group, some in sorted(by_group(outcomes).items(), key=lambda each: each[0][2])]
    text = "".join(wrapped(f"- {fact}", "  ") for fact in facts) + "\n" + table(COLUMNS, rows)
    if thinking:
        text += thinking_part(thinking)
    text += "\nClaims about `mcts`:\n\n"
    for claim in claims_of(outcomes, tasks):
        found = "yes" if claim.holds else "**no**: " + "; ".join(claim.exceptions)
        text += f"- {claim.text} (runs: {claim.runs}): {found}\n"
    if lines := time_lines(outcomes):
        text += f"\nAgainst {base_of(outcomes)}, all of them eager, for runs that both solved:\n\n" + "\n".join(lines) + "\n"
    if lines := decider_lines(outcomes):
        text += "\nSmart against eager, for runs with the same result:\n\n" + "\n".join(lines) + "\n"
    if lines := unsolved_lines(outcomes):
        text += "\n| not solved by | tasks |\n|---|---|\n" + "\n".join(lines) + "\n"
    failed = [f"- {outcome.trial}: {outcome.why}" for outcome in everything if not outcome.nodes]
    return text + ("\nDid not run:\n\n" + "\n".join(failed) + "\n" if failed else "")


def with_measured(page: str, measured: str) -> str:
    """Replaces the measured part of the page and keeps the written part."""
    return page.partition(MARK)[0] + MARK + "\n" + measured


def write_page(path: Optional[Path], outcomes: Sequence[Outcome], tasks: Sequence[Task], facts: Sequence[str]) -> str:
    text = to_markdown(outcomes, tasks, facts)
    if path:
        path.write_text(with_measured(path.read_text() if path.exists() else "", text))
        path.with_suffix(".svg").write_text(to_svg([each for each in outcomes if not each.think_ms]))
        records = ",\n".join("  " + json.dumps(asdict(outcome)) for outcome in outcomes)
        path.with_suffix(".json").write_text(f'{{"version": 1, "facts": {json.dumps(list(facts))}, "outcomes": [\n{records}\n]}}\n')
    return text
