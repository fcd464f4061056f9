"""A small HTTP/1.1 client over asyncio streams: sends one request and streams its answer."""

from __future__ import annotations

import asyncio
import ssl
from typing import Dict, List, Optional, Tuple

from ..location import CONNECT_SECONDS, Location, watch_peer
from ..plans import Request, Stream
from ..runner import CHUNK, went_away

# Exceptions raised for a broken connection or a malformed HTTP answer.
BROKEN = (OSError, EOFError, ValueError, IndexError, asyncio.LimitOverrunError)
Ends = Tuple[asyncio.StreamReader, asyncio.StreamWriter]


class AsyncAnswer(Stream):
    """An answer after its head was read. Its body is chunked, has a length, or ends with the
    connection."""

    def __init__(self, ends: Ends, status: int, headers: Dict[str, str]) -> None:
        self.status = status
        self._reader, self._writer = ends
        self._chunked = headers.get("transfer-encoding", "").lower() == "chunked"
        length = headers.get("content-length")
        self._left: Optional[int] = 0 if self._chunked else None if length is None else int(length)
        self._ended = False

    async def read_all(self) -> bytes:
        pieces: List[bytes] = []
        while True:
            piece = await self.read()
            if not piece:
                return b"".join(pieces)
            pieces.append(piece)

    async def read(self) -> bytes:
        """Returns the next bytes of the body; empty at its end."""
        try:
            return await self._read()
        except BROKEN as error:
            raise went_away(error) from error

    async def _read(self) -> bytes:
        if self._chunked and self._left == 0 and not self._ended:
            await self._next_chunk()
        if self._left is None:
            return await self._reader.read(CHUNK)
        if self._left == 0:
            return b""
        data = await self._reader.read(min(CHUNK, self._left))
        if not data:
            raise EOFError("the connection closed in the middle of the answer")
        self._left -= len(data)
        if self._chunked and self._left == 0:
            await self._reader.readexactly(2)  # the line end after a chunk
        return data

    async def _next_chunk(self) -> None:
        size = await self._reader.readuntil(b"\r\n")
        self._left = int(size.split(b";")[0], 16)
        if self._left == 0:
            self._ended = True
            while await self._reader.readuntil(b"\r\n") != b"\r\n":
                pass

    def close(self) -> None:
        self._writer.close()


async def connect(location: Location) -> Ends:
    tcp = location.tcp()
    try:
        if tcp is None:
            return await asyncio.open_unix_connection(sock=location.connect_unix())
        context = ssl.create_default_context() if tcp[2] else None
        ends = await asyncio.wait_for(asyncio.open_connection(tcp[0], tcp[1], ssl=context), CONNECT_SECONDS)
        watch_peer(ends[1].get_extra_info("socket"))
        return ends
    except (OSError, asyncio.TimeoutError) as error:
        raise location.unreachable(error if isinstance(error, OSError) else OSError("it does not answer")) from error


async def open_answer(location: Location, request: Request) -> AsyncAnswer:
    headers = location.headers()
    if request.body is not None:
        headers.update({"Content-Type": request.content_type, "Content-Length": str(len(request.body))})
    lines = [f"{request.method} {request.target} HTTP/1.1", *(f"{key}: {value}" for key, value in headers.items())]
    reader, writer = await connect(location)
    try:
        writer.write("\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + (request.body or b""))
        await writer.drain()
        status, answered = await read_head(reader)
        return AsyncAnswer((reader, writer), status, answered)
    except BROKEN as error:
        writer.close()
        raise went_away(error) from error
    except BaseException:
        writer.close()
        raise


async def read_head(reader: asyncio.StreamReader) -> Tuple[int, Dict[str, str]]:
    """Returns the status and the headers, with their names in lower case."""
    first, *lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    headers = {}
    for line in lines:
        name, _, value = line.partition(":")
        headers[name.strip().lower()] = value.strip()
    return int(first.split(" ")[1]), headers
