"""Rows that print bytes: the behaviour of each control function according to the standards.

Each case has parts that are printed in order. The snapshot is taken after the first part, so that
the next part shows whether invisible state (margins, modes, tab stops, saved cursor) was restored.
A size is a resize.
"""

from __future__ import annotations

from typing import Dict, List, Union

from row import NARROW, SMALL, Row, Size, Step
from tmux_differences import DIFFERENCES

SHOW = """stty raw -echo
for part; do
  cat "$part"
  head -c 1 >/dev/null
done
"""
Part = Union[str, bytes, Size]
LINES = "".join(f"line {number:02d}\r\n" for number in range(10))
GRID = "".join(f"\x1b[{number};1H" + chr(64 + number) * 20 for number in range(1, 11))


def case(name: str, *parts: Part, colours: bool = True) -> Row:
    files: Dict[str, Union[str, bytes]] = {"show": SHOW}
    steps: List[Step] = []
    for number, part in enumerate(parts):
        if isinstance(part, tuple):
            steps.append(Step(resize=part))
            continue
        title = f"{name}.{number}"
        content = part if isinstance(part, bytes) else part.encode()
        files[title] = content + f"\x1b]2;{title}\x07".encode()
        steps.append(Step(["x"] if number else [], title=title))
    printed = " ".join(file for file in files if file != "show")
    differences = DIFFERENCES.get(f"seq-{name}", [])
    has_size = bool(differences) or any(isinstance(part, tuple) for part in parts)
    sizes = (SMALL,) if has_size else (SMALL, NARROW)
    return Row(f"seq-{name}", f"bash show {printed}", steps[:1], steps[1:], sizes, files, colours=colours,
               differences=differences)


ROWS: List[Row] = [
    # Moving the cursor.
    case("moves", "\x1b[5;10Ha\x1b[2Ab\x1b[3Bc\x1b[4Cd\x1b[6De\x1b[2Ef\x1b[Fg\x1b[30Gh\x1b[12di\x1b[20`j\x1b[7;7fk",
         "\x1b[al\x1b[em"),
    case("moves-to-edges", "\x1b[999;999Ha\x1b[999Ab\x1b[999Dc\x1b[999Bd\x1b[0;0He\x1b[0Cf\x1b[0Ag", "\x1b[;5Hx\x1b[5Hy"),
    case("backspace", "abc\b\bX\r\n\b\bY\r\n12345\b\b\b\b\b\b\bZ", "W"),
    case("line-feeds", "a\nb\vc\fd\re\x1bDf\x1bEg\x1bMh", "i\n\n\rj"),
    case("save-cursor", "\x1b[5;5H\x1b[1;31m\x1b7\x1b[10;10H\x1b[0mfar", "\x1b8near\x1b[15;1H\x1b8NEAR"),
    case("save-cursor-sco", "\x1b[5;5H\x1b[s\x1b[10;10Hfar", "\x1b[unear"),
    case("restore-without-save", "\x1b[5;5Hx\x1b8y", "z"),
    case("hidden-cursor", "\x1b[?25lhidden", "\x1b[?25hshown"),
    # Wrapping.
    case("wrap", "x" * 200 + "\r\n" + "y" * 80, "z"),
    case("wrap-pending", "\x1b[1;999Ha", "b\x1b[5;999Hc\rd\x1b[7;999He\bf\x1b[9;999Hg\nh"),
    case("wrap-pending-erase", "\x1b[3;999Ha\x1b[K", "\rb"),
    case("wrap-off", "\x1b[?7l" + "0123456789" * 12 + "END", "more\x1b[?7h" + "0123456789" * 12),
    case("wrap-at-bottom", "\x1b[999;1H" + "abcdefghij" * 20, "z"),
    # Scrolling.
    case("scroll", "".join(f"\r\n{number}" for number in range(100)), "\r\nmore\r\nand more"),
    case("scroll-region", LINES + "\x1b[3;6r\x1b[6;1H\nA\nB\nC", "\x1b[3;1H\x1bMD\x1b[6;1H\x1bDE\x1b[r\x1b[20;1HF"),
    case("scroll-region-outside", LINES + "\x1b[3;6r\x1b[12;1H" + "\n" * 30 + "low", "\x1b[1;1H\x1bM\x1bMtop"),
    case("scroll-region-homes", LINES + "\x1b[5;5H\x1b[2;4rx", "\n\n\n\ny\x1b[5;5H\x1b[rz"),
    case("scroll-region-bad", LINES + "\x1b[4;4rx\x1b[9;3ry", "\x1b[999;1H\n\nz"),
    case("scroll-up-down", LINES + "\x1b[2S", "\x1b[3Tx\x1b[3;6r\x1b[S\x1b[2T"),
    case("origin-mode", LINES + "\x1b[3;8r\x1b[?6h\x1b[1;1HA\x1b[99;1HB", "\x1b[2;2HC\x1b[?6l\x1b[1;1HD"),
    case("origin-mode-saved", LINES + "\x1b[3;8r\x1b[?6h\x1b7\x1b[?6l\x1b[12;1H", "\x1b8A\x1b[1;5HB"),
    # Inserting, deleting, erasing.
    case("insert-delete-lines", GRID + "\x1b[3;5H\x1b[2L1\x1b[8;5H\x1b[3M2", "\x1b[2;7r\x1b[4;1H\x1b[Lx\x1b[99My"),
    case("insert-delete-outside", GRID + "\x1b[4;7r\x1b[2;1H\x1b[2L\x1b[2Mx", "\x1b[10;1H\x1b[Ly"),
    case("insert-delete-characters", "abcdefghij\r\nabcdefghij\r\nabcdefghij\x1b[1;4H\x1b[3@\x1b[2;4H\x1b[3P\x1b[3;4H\x1b[3X",
         "XY\x1b[1;70Hright\x1b[1;1H\x1b[5@\x1b[99P"),
    case("insert-mode", "abcdef\x1b[1;3H\x1b[4hXYZ", "UV\x1b[4lW"),
    case("insert-mode-edge", "x" * 40 + "\x1b[1;999H\x1b[4hab", "\x1b[1;1Hc"),
    case("insert-mode-wrap", "x" * 110 + "\x1b[1;80H\x1b[4habc", "d"),
    case("erase-display", GRID + "\x1b[5;10H\x1b[J", "\x1b[3;10H\x1b[1Jx\x1b[2Jy"),
    case("erase-line", GRID + "\x1b[2;10H\x1b[K\x1b[4;10H\x1b[1K\x1b[6;10H\x1b[2K", "x"),
    case("erase-scrollback", "".join(f"\r\n{number}" for number in range(100)) + "\x1b[3J", "x"),
    case("erase-with-colour", GRID + "\x1b[44m\x1b[3;5H\x1b[K\x1b[5;5H\x1b[4X\x1b[7;5H\x1b[2L\x1b[9;5H\x1b[3P", "x"),
    case("repeat", "ab\x1b[5bc\x1b[bd", "\x1b[3be\x1b[1;5Hf\x1b[20b"),
    # Tabs.
    case("tabs", "a\tb\tc\r\n\x1b[3g\x1b[5G\x1bH\x1b[20G\x1bH\r\tX\tY\tZ", "\r\n\t1\x1b[g\r\n\t2\t3"),
    case("tabs-back", "\x1b[40Ga\x1b[Zb\x1b[3Zc\x1b[99Zd", "\x1b[2;1H\x1b[2Ie\x1b[If"),
    case("tabs-at-edge", "\t" * 30 + "x\ty", "\tz"),
    # Character sets.
    case("line-drawing", "\x1b(0lqqqk\r\nx   x\r\nmqqqj\x1b(B abc", "\x1b(0`afgjklmnopqrstuvwxyz{|}~"),
    case("shift-out", "\x1b)0abc\x0eqqq\x0fdef\x0e", "xxx\x0fy"),
    case("character-set-saved", "\x1b(0\x1b7\x1b(Bq", "\x1b8q"),
    case("british", "\x1b(A#\x1b(B#", "#"),
    # Wide characters and marks.
    case("wide", "日本語\rab\r\n日本語\x1b[2Gx\r\n日本語\x1b[3Gy", "日"),
    case("wide-at-edge", "\x1b[1;80H日\x1b[3;79H本\x1b[5;49H語x", "z"),
    case("wide-delete", "日本語日本語\x1b[2G\x1b[P\r\n日本語\x1b[3G\x1b[@x\r\n日本語\x1b[4G\x1b[X", "y"),
    case("wide-insert-mode", "abcdef\x1b[3G\x1b[4h日本\x1b[4l", "語"),
    case("wide-erase", "日本語\x1b[2G\x1b[K\r\n日本語\x1b[4G\x1b[1K\r\nend", "x"),
    case("marks", "e\u0301a\u0308\u0301o\r\n\u0301x\r\n日\u0301本", "\u0302z"),
    case("marks-at-edge", "\x1b[1;80He", "\u0301f"),
    # Joined by ZWJ, with a skin tone, with a variation selector, a flag: each code point has its
    # own width, as in xterm.
    case("emoji-joined", "\U0001f469\u200d\U0001f469\u200d\U0001f467x", "v", colours=False),
    case("emoji-tone", "\U0001f44d\U0001f3fdy", "v"),
    case("emoji-variation", "\u2764\ufe0fz", "v"),
    case("emoji-flag", "\U0001f1e9\U0001f1eaw", "v"),
    case("repeat-wide", "日\x1b[3b", "x"),
    # The alternate screen.
    case("alternate-1049", "primary\x1b[?1049hother", "\x1b[?1049lback"),
    case("alternate-1047", "primary\x1b[?1047hother", "\x1b[?1047lback"),
    case("alternate-47", "primary\x1b[?47hother", "\x1b[?47lback"),
    case("alternate-no-history", "\x1b[?1049h" + "".join(f"\r\n{number}" for number in range(60)), "\x1b[?1049lx"),
    case("alternate-keeps-position", "\x1b[8;8Hhere\x1b[?1049h\x1b[2;2Hthere", "\x1b[?1049lagain"),
    case("alternate-saves-its-own", "\x1b[8;8Hhere\x1b[?1049h\x1b[2;2H\x1b7there", "\x1b[?1049lagain"),
    # Resets and tests.
    case("alignment", "\x1b[5;5H\x1b#8", "x"),
    case("alignment-margins", "\x1b[3;5r\x1b[?6h\x1b#8\x1b[999;1Hlow", "x\n"),
    case("full-reset", LINES + "\x1b[3;5r\x1b[?6h\x1b[4h\x1b(0\x1bcabc", "\x1b[1;2Hx\ty"),
    case("soft-reset", LINES + "\x1b[3;5r\x1b[?6h\x1b[4h\x1b[!p\x1b[1;1HX", "Y\x1b[999;1H\nZ"),
    # Parsing.
    case("cancelled", "a\x1b[3\x18b\x1b[4\x1acd\x1b[5\x1b[2Ce", "f"),
    case("control-inside", "abc\x1b[\r2Cx\x1b[2\n;5Hy", "z"),
    case("ignored", "a\x00b\x07c\x05d\x7fe\x1b[?9999hf\x1b[>4;1mg\x1b[=5xh\x1b[1$}i\x1b[20tj", "k"),
    case("strings", "a\x1bPdevice\x1b\\b\x1b_application\x1b\\c\x1b^private\x1b\\d\x1b]4;1;rgb:ff/00/00\x1b\\e\x1b]52;c;eA==\x07f", "g"),
    case("string-title", "a\x1bktmux title\x1b\\b", "c"),
    case("colours", "\x1b[1mbold\x1b[0m \x1b[3;4mitalic\x1b[m \x1b[7mreverse\x1b[27m \x1b[38;5;200mindexed \x1b[38;2;1;2;3mdirect"
         "\x1b[39m \x1b[48:5:20mcolon\x1b[49m \x1b[91;104mbright\x1b[0m \x1b[9mstruck", "on\x1b[0moff"),
    case("unknown-colour", "\x1b[38;9;1mx\x1b[999my\x1b[38mz", "a"),
    case("newline-mode", "\x1b[20habc\ndef", "\nghi\x1b[20l\njkl"),
    case("invalid-utf8", b"a\xffb\xc3(c\xe2\x82d\xf0\x9f\x92e", "f"),
    case("c1-controls", "abc\u0085def\u0084ghi\u009b5Cjkl", "x"),
    case("left-right-margins", LINES + "\x1b[?69h\x1b[5;7s\x1b[2;5r", "\x1b[5;5H\nx"),
    case("columns", GRID + "\x1b[2;5H\x1b['}\x1b[3;5H\x1b[2'~", "x"),
    case("selective-erase", "\x1b[1\"qkept\x1b[0\"q gone\x1b[?2K", "x"),
    case("double-size", "\x1b#6wide\r\n\x1b#3top\r\n\x1b#4bottom\r\n\x1b#5plain", "x"),
    case("columns-132", "abc\x1b[?3hdef", "\x1b[?3lghi"),
    case("columns-132-allowed", LINES + "\x1b[?40h\x1b[?3hdef", "\x1b[?3lghi"),
    # Resizing.
    case("reflow-narrower", "0123456789" * 12 + "\r\nshort\r\n" + "abcdefghij" * 9, (24, 50), "x", (24, 80), "y"),
    case("reflow-wider", "0123456789" * 12 + "\r\nshort\r\n", (24, 150), "x", (24, 60), "y"),
    case("reflow-wide", "日本語中文字" * 8 + "end\r\n", (24, 41), "x", (24, 80), "y"),
    case("reflow-cursor", "0123456789" * 12 + "\x1b[2;5H", (24, 50), "x", (24, 80), "y"),
    case("resize-shorter", LINES + "last", (6, 80), "x", (24, 80), "y"),
    case("resize-scrolled", "".join(f"\r\n{number}" for number in range(60)), (10, 80), "x", (30, 80), "y"),
    case("resize-alternate", LINES + "\x1b[?1049h" + LINES, (8, 40), "x", "\x1b[?1049ly", (24, 80), "z"),
    case("resize-margins", LINES + "\x1b[3;6r\x1b[4;1H", (20, 60), "\n\n\n\n\nx", (24, 80), "\n\n\n\ny"),
    case("resize-tabs", "123456789\x1bH", (24, 120), "\r\t1\t2\t3\t4\t5\t6\t7\t8\t9\t10\t11\t12\t13"),
]
