"""The paper's figures as SVG: tasks solved by time, by nodes and by bytes, and the Smart Decider
compared with keeping every state. Pure."""

import math
from dataclasses import dataclass
from html import escape
from typing import Callable, Dict, List, Sequence, Tuple

from outcomes import Group, Outcome, base_of, by_group, share_solved

WIDTH, HEIGHT = 340, 250
LEFT, RIGHT, TOP, BOTTOM = 44, 16, 34, 40
LEGEND = 30

# Dash patterns keep the lines distinguishable without colors.
STYLES = (("#d62728", ""), ("#1f77b4", "6 3"), ("#2ca02c", "8 3 2 3"), ("#ff7f0e", "2 2"), ("#9467bd", "10 4"),
          ("#8c564b", "4 2"), ("#17becf", "1 3"))


@dataclass(frozen=True)
class Axis:
    """A logarithmic axis: its ends and its tick marks."""

    title: str
    low: float
    high: float

    def share(self, value: float) -> float:
        """The position on the axis, from 0 to 1."""
        return math.log(min(max(value, self.low), self.high) / self.low) / math.log(self.high / self.low)

    def marks(self) -> List[float]:
        steps = (1, 2, 5) if self.high / self.low < 50 else (1,)
        return [step * 10.0**power for power in range(-3, 7) for step in steps if self.low <= step * 10.0**power <= self.high]


def axis_over(title: str, values: Sequence[float], floor: float) -> Axis:
    """An axis for these values with a margin. Values below `floor` are drawn at it."""
    some = [max(value, floor) for value in values] or [floor]
    return Axis(title, min(some) / 1.25, max(max(some), min(some) * 2) * 1.25)


def across(axis: Axis, value: float) -> float:
    return LEFT + (WIDTH - LEFT - RIGHT) * axis.share(value)


def up(share: float) -> float:
    return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * share


def text_at(x: float, y: float, text: str, more: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" {more}>{escape(text)}</text>\n'


def line(x1: float, y1: float, x2: float, y2: float, more: str) -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" {more}/>\n'


def number_text(value: float) -> str:
    return f"{value:,.0f}" if value >= 1 else f"{value:g}"


def frame(title: str, axis: Axis) -> str:
    out = text_at(WIDTH / 2, 18, title, 'text-anchor="middle" font-weight="bold"')
    out += line(LEFT, up(0), WIDTH - RIGHT, up(0), 'stroke="#888"')
    for mark in axis.marks():
        out += line(across(axis, mark), up(0), across(axis, mark), up(0) + 4, 'stroke="#888"')
        out += text_at(across(axis, mark), up(0) + 16, number_text(mark), 'text-anchor="middle"')
    return out + text_at(WIDTH / 2, HEIGHT - 6, axis.title, 'text-anchor="middle"')


def solved_panel(title: str, axis: Axis, groups: Dict[Group, List[Outcome]], measure: Callable[[Outcome], float],
                 styles: Dict[str, Tuple[str, str]]) -> str:
    """One step curve per contender; it ends at its last solved task."""
    out = frame(title, axis)
    for share in (0.25, 0.5, 0.75, 1.0):
        out += line(LEFT, up(share), WIDTH - RIGHT, up(share), 'stroke="#ddd"')
        out += text_at(LEFT - 5, up(share) + 4, f"{share:.0%}", 'text-anchor="end"')
    for (contender, materialization, policy), outcomes in groups.items():
        color, dash = styles[contender]
        points, before = [(across(axis, axis.low), up(0))], up(0)
        for value, share in share_solved(outcomes, measure):
            points += [(across(axis, value), before), (across(axis, value), up(share))]
            before = up(share)
        points.append((across(axis, axis.high), before))
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        out += (f'<polyline points="{path}" fill="none" stroke="{color}" stroke-dasharray="{dash}" '
                f'stroke-width="{2.6 if contender.startswith("waypoint") else 1.6}">'
                f"<title>{escape(f'{contender}, {materialization}, {policy}')}</title></polyline>\n")
    return out


def megabytes(outcome: Outcome) -> float:
    return outcome.bytes / 2**20


def seconds(outcome: Outcome) -> float:
    return outcome.wall_us / 1e6


def paired(outcomes: Sequence[Outcome]) -> List[Tuple[Outcome, Outcome]]:
    """(eager, smart) of the same task, contender, policy and round."""
    smart = {(each.task, each.contender, each.policy, each.round): each for each in outcomes
             if each.materialization == "smart"}
    found = [(each, smart.get((each.task, each.contender, each.policy, each.round))) for each in outcomes
             if each.materialization == "eager"]
    return [(eager, other) for eager, other in found if other is not None and eager.nodes and other.nodes]


def decider_panel(pairs: Sequence[Tuple[Outcome, Outcome]]) -> str:
    """Each task from eager (circle) to smart (triangle); x is time, y is bytes."""
    both = [outcome for pair in pairs for outcome in pair]
    time = axis_over("seconds", [seconds(each) for each in both], 0.1)
    size = axis_over("MB", [megabytes(each) for each in both], 0.1)
    out = frame(f"{pairs[0][0].contender}, mcts: eager to smart", time)
    for mark in size.marks():
        out += line(LEFT, up(size.share(mark)), WIDTH - RIGHT, up(size.share(mark)), 'stroke="#ddd"')
        out += text_at(LEFT - 5, up(size.share(mark)) + 4, number_text(mark), 'text-anchor="end"')
    out += text_at(LEFT - 5, TOP - 6, "MB", 'text-anchor="end"')
    for eager, smart in pairs:
        x1, y1 = across(time, seconds(eager)), up(size.share(megabytes(eager)))
        x2, y2 = across(time, seconds(smart)), up(size.share(megabytes(smart)))
        shown = f"{eager.task}: {seconds(eager):.1f} s, {megabytes(eager):.1f} MB to {seconds(smart):.1f} s, {megabytes(smart):.1f} MB"
        out += f"<g><title>{escape(shown)}</title>\n" + line(x1, y1, x2, y2, 'stroke="#bbb"')
        out += f'<circle cx="{x1:.1f}" cy="{y1:.1f}" r="3" fill="#2ca02c"/>\n'
        out += f'<path d="M{x2:.1f} {y2 - 4:.1f}l4 7h-8z" fill="#8c564b"/></g>\n'
    return out


def legend(styles: Dict[str, Tuple[str, str]], outcomes: Sequence[Outcome], y: float) -> str:
    """The contenders with their number of tasks; smaller if the benchmark was stopped early."""
    out = ""
    for i, (contender, (color, dash)) in enumerate(styles.items()):
        x = 16 + i * min(180, (3 * WIDTH - 16) / len(styles))
        tasks = len({outcome.task for outcome in outcomes if outcome.contender == contender})
        out += line(x, y, x + 30, y, f'stroke="{color}" stroke-width="2" stroke-dasharray="{dash}"')
        out += text_at(x + 36, y + 4, f"{contender} ({tasks} tasks)")
    return out


def to_svg(outcomes: Sequence[Outcome]) -> str:
    """A row of panels per policy with every state kept. The last row also has the Smart Decider."""
    eager = [outcome for outcome in outcomes if outcome.materialization == "eager" and outcome.nodes]
    names = list(dict.fromkeys(outcome.contender for outcome in eager))
    styles = {name: STYLES[i % len(STYLES)] for i, name in enumerate(names)}
    solved = [outcome for outcome in eager if outcome.solved]
    measures = (("time", axis_over("seconds", [seconds(each) for each in solved], 0.1), seconds),
                ("nodes", axis_over("nodes visited", [float(each.nodes) for each in solved], 1), lambda each: float(each.nodes)),
                ("bytes kept", axis_over("MB kept", [megabytes(each) for each in solved], 0.1), megabytes))
    rows = []
    for policy in dict.fromkeys(outcome.policy for outcome in eager):
        groups = by_group([outcome for outcome in eager if outcome.policy == policy])
        rows.append([solved_panel(f"{policy}: tasks solved by {name}", axis, groups, measure, styles)
                     for name, axis, measure in measures])
    pairs = [pair for pair in paired(outcomes) if pair[0].contender == base_of(outcomes) and pair[0].policy == "mcts"]
    if pairs:
        rows.append([decider_panel(pairs)])
    width, height = WIDTH * len(measures), HEIGHT * len(rows) + LEGEND
    out = (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
           'font-family="sans-serif" font-size="11">\n' f'<rect width="{width}" height="{height}" fill="white"/>\n')
    for y, row in enumerate(rows):
        for x, panel in enumerate(row):
            out += f'<g transform="translate({x * WIDTH},{y * HEIGHT + LEGEND})">\n{panel}</g>\n'
    return out + legend(styles, eager, 16) + "</svg>\n"
