"""Operations on nodes: snapshot, restore, fork and removal; and kills."""

from __future__ import annotations

import time
from typing import Optional

from model import Node
from operations import operation
from player import Player
from ways import Problem


def some_node(p: Player) -> Node:
    """A random node, usually a recent one."""
    nodes = p.session.tree.nodes()
    return p.random.choice(nodes[-3:] if p.random.random() < 0.7 else nodes)


@operation(5)
def snapshot(p: Player, materialization: Optional[str] = None) -> None:
    """Takes a snapshot, physical or virtual as the policy or the caller decides."""
    if materialization is None:
        materialization = p.random.choices(["", "physical", "virtual"], [6, 1, 1])[0]
    p.snapshot(materialization)


@operation(3)
def check_fork(p: Player, newest: bool = False) -> None:
    """Forks a node and checks the fork. Sometimes the client continues in the fork."""
    node = p.node if newest else some_node(p)
    branch = p.check_fork(node)
    if branch is None:
        return
    if node.state.coming and p.random.random() < 0.5:
        for name, content in sorted(node.state.coming.items()):
            p.wait_for(name, branch, content)
    if p.random.random() < 0.2 and not p.running and node.state.seed is None:
        p.move_to(branch, node)
        return
    p.call("end", branch=branch)


@operation(3)
def restore(p: Player, newest: bool = False) -> None:
    """Restores a node and checks the branch."""
    p.join()
    node = p.node if newest else some_node(p)
    if not p.restore(node):
        return
    if p.random.random() < 0.5:
        p.check(f"{p.branch} after restore of {node.id} ({node.kind})", p.state, p.branch, False)
    else:
        p.check_files()


@operation(0.7)
def restore_anyway(p: Player) -> None:
    """Restores a node and accepts divergences."""
    p.join()
    diverging = [node for node in p.session.tree.nodes() if node.may_diverge()]
    node = p.random.choice(diverging) if diverging else some_node(p)
    p.restore(node, accept=True)


@operation(0.5)
def check_live(p: Player) -> None:
    """Checks the live branch."""
    p.join()
    p.check(f"the live branch {p.branch}", p.state, p.branch, False)


@operation(0.5)
def remove_node(p: Player) -> None:
    """Removes a node without children; all others are unaffected. Skipped if another client may
    use it."""
    spare = [node for node in p.session.tree.nodes()[1:]
             if node is not p.node and not p.session.tree.has_children(node)]
    if not spare or p.session.clients > 1:
        return
    node = p.random.choice(spare)
    try:
        p.call("cleanup", node.id)
    except Problem as problem:
        if problem.code != "busy":  # the client left a branch at this node
            raise
        return
    p.session.tree.remove(node)


# Kills. Their weight is 0 without --kills.

@operation(0)
def kill_manager(p: Player) -> None:
    """Kills the daemon while this client is idle; the branch must be unchanged."""
    p.join()
    p.host.kill_manager()
    p.note("the daemon was killed")
    p.check_files()


@operation(0)
def kill_during_call(p: Player) -> None:
    """Kills the daemon during a call."""
    p.join()
    verb = p.random.choice(["snapshot", "restore", "exec", "write", "fork"])
    arguments = {"snapshot": [""], "restore": [p.node.id, False], "exec": ["xv=1; sleep 0.05"],
                 "write": ["/root/killed", b"x"], "fork": [p.node.id]}[verb]
    call = p.later(verb, *arguments)
    time.sleep(p.random.uniform(0, 0.1))
    p.host.kill_manager()
    call.exception()  # waits for the call
    p.recover(f"a kill during {verb}")


@operation(0)
def kill_keeper(p: Player) -> None:
    """Kills the owner of a live branch, of any client."""
    p.host.kill_keeper(p.random)
    p.note("a keeper was killed")


KILLS = {"kill_manager": 1.0, "kill_during_call": 1.0, "kill_keeper": 1.0}
