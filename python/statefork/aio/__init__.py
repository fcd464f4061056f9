"""The verbs of `statefork`, with `await`.

    async with build_session("waypoint", root="/") as s:
        n = await s.snapshot()
        async with s.branch(n) as b:
            await b.exec_command("./try-something")
"""

from .branch import AsyncBranch, AsyncTerminal
from .client import AsyncClient
from .execution import AsyncExecution
from .session import AsyncSession

# For the daemon that the environment names, or else the default one. For another, make an
# AsyncClient.
_client = AsyncClient()
build_session = _client.build_session
connect = _client.connect
list_sessions = _client.list_sessions

__all__ = ["AsyncBranch", "AsyncClient", "AsyncExecution", "AsyncSession", "AsyncTerminal", "build_session", "connect",
           "list_sessions"]
