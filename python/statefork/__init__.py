"""StateFork: a terminal that can be branched.

    with build_session("waypoint", root="/") as s:
        r = s.exec_command("pytest -q", timeout=60)
        n = s.snapshot()
        for b in s.fork(n, 4):
            b.exec_command("./try-something")
        s.restore(n)

The same verbs with `await` are in `statefork.aio`. The manual is docs/python.md.
"""

from .branch import Branch, Terminal
from .client import Client
from .errors import *  # noqa: F403
from .errors import __all__ as _errors
from .events import Event, GapEvent, OutputEvent, ResultEvent, TerminalEvent
from .execution import Execution
from .exploration import Exploration, explore
from .nodes import *  # noqa: F403
from .nodes import __all__ as _nodes
from .results import *  # noqa: F403
from .results import __all__ as _results
from .session import Session
from .version import VERSION as __version__

Sandbox = Session

# For the daemon that the environment names, or else the default one. For another daemon, make a
# Client.
_client = Client()
build_session = _client.build_session
connect = _client.connect
list_sessions = _client.list_sessions

__all__ = ["Branch", "Client", "Event", "Execution", "Exploration", "GapEvent", "OutputEvent", "ResultEvent", "Sandbox", "Session",
           "Terminal", "TerminalEvent", "__version__", "build_session", "connect", "explore", "list_sessions"]
__all__ += _errors
__all__ += _nodes
__all__ += _results
