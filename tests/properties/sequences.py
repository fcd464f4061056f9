"""Sequences: steps that together provoke past or likely defects. Random steps are inserted between
them.

A step is the name of an operation with fixed options; all other options are random.
"""

from __future__ import annotations

from typing import Any, Dict, List, Tuple

Steps = List[Tuple[str, Dict[str, Any]]]


def step(name: str, **options: Any) -> Tuple[str, Dict[str, Any]]:
    return name, options


SEQUENCES: Dict[str, Steps] = {
    # The keeper precaptures an idle branch; a write from outside must discard the precapture.
    "file_after_pause": [step("snapshot"), step("look"), step("pause", seconds=0.4), step("api_writes"),
                         step("diff_shows"), step("snapshot"), step("check_fork", newest=True)],
    "side_after_pause": [step("snapshot"), step("look"), step("pause", seconds=0.4), step("side_writes"),
                         step("snapshot"), step("check_fork", newest=True)],
    "keys_after_pause": [step("snapshot"), step("look"), step("pause", seconds=0.4), step("type_keys"),
                         step("pause", seconds=0.3), step("snapshot"), step("check_fork", newest=True)],
    "resize_after_pause": [step("snapshot"), step("look"), step("pause", seconds=0.4), step("resize"),
                           step("pause", seconds=0.3), step("snapshot"), step("check_fork", newest=True)],
    "paste_after_pause": [step("snapshot"), step("look"), step("pause", seconds=0.4), step("paste_line"),
                          step("pause", seconds=0.3), step("snapshot"), step("check_fork", newest=True)],
    "mouse_after_pause": [step("snapshot"), step("look"), step("pause", seconds=0.4), step("use_mouse"),
                          step("pause", seconds=0.3), step("snapshot"), step("check_fork", newest=True)],
    "refused_after_pause": [step("snapshot"), step("look"), step("pause", seconds=0.4), step("refused_mouse"),
                            step("pause", seconds=0.3), step("snapshot"), step("check_fork", newest=True)],
    # A node that shares the previous checkpoint.
    "queue_unchanged": [step("look"), step("snapshot"), step("make_queue"), step("snapshot"),
                        step("check_fork", newest=True)],
    "attribute_unchanged": [step("look"), step("snapshot"), step("set_attribute"), step("snapshot"),
                            step("check_fork", newest=True)],
    "seed_unchanged": [step("look"), step("snapshot"), step("seed_random"), step("snapshot"),
                       step("check_fork", newest=True)],
    # A process is active between two nodes.
    "timer_between_nodes": [step("start_timer", delay=0.6), step("snapshot"), step("see_coming"), step("assign"),
                            step("snapshot"), step("check_fork", newest=True), step("restore", newest=True)],
    "timer_and_jobs": [step("start_timer", delay=0.6), step("snapshot"), step("see_coming"), step("check_live"),
                       step("snapshot"), step("restore", newest=True)],
    # A side command is running at a snapshot and writes later.
    "side_over_node": [step("start_side", delay=0.5, prints=False), step("snapshot"), step("assign"), step("join"),
                       step("snapshot"), step("check_fork", newest=True)],
    "side_prints_in_copy": [step("start_side", delay=0.8, prints=True), step("snapshot", materialization="physical"),
                            step("check_fork", newest=True), step("join")],
    # Commands that use randomness without printing it.
    "silent_draw": [step("prepare_draw"), step("snapshot"), step("draw", printed=False), step("snapshot"),
                    step("check_fork", newest=True), step("restore", newest=True)],
    "accepted_divergence": [step("prepare_draw"), step("snapshot"), step("draw", printed=True), step("snapshot"),
                            step("restore_anyway"), step("assign"), step("snapshot"),
                            step("restore", newest=True), step("check_fork", newest=True)],
    # The window size during the recording and during the replay.
    "window_in_replay": [step("resize"), step("record_window"), step("snapshot"), step("resize"),
                         step("restore", newest=True), step("check_fork", newest=True)],
    "window_before_replay": [step("resize"), step("snapshot", materialization="physical"), step("record_window"),
                             step("snapshot"), step("resize"), step("restore", newest=True),
                             step("check_fork", newest=True)],
    "server_memory": [step("start_server"), step("snapshot"), step("ask_server"), step("snapshot"),
                      step("ask_server"), step("restore", newest=True), step("ask_server"),
                      step("check_fork", newest=True)],
    "removed_directory": [step("remake_directory"), step("snapshot"), step("restore", newest=True),
                          step("check_fork", newest=True)],
    "writes_over_node": [step("write_beside"), step("snapshot"), step("join"), step("snapshot"),
                         step("check_fork", newest=True)],
}
