"""A cable between a client and a server, which can be cut or hold back what goes through it."""

from __future__ import annotations

import asyncio


class Cable:
    """Between a client and a server; it can be cut, or hold all back without a word.

    delay   seconds that everything takes each way
    """

    def __init__(self) -> None:
        self.port, self.dials = 0, 0
        self.is_dumb, self.is_stuck, self.delay = False, False, 0.0
        self._ends: list[asyncio.StreamWriter] = []

    async def carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.dials += 1
        try:
            far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self.port)
        except OSError:
            writer.close()
            return
        self._ends += [writer, far_writer]
        await asyncio.gather(self._pump(reader, far_writer), self._pump(far_reader, writer))

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while data := await reader.read(65536):
                while self.is_stuck:
                    await asyncio.sleep(0.01)
                if self.delay:
                    asyncio.get_running_loop().call_later(self.delay, writer.write, data)
                elif not self.is_dumb:
                    writer.write(data)
        except OSError:
            pass
        writer.close()

    def cut(self) -> None:
        for end in self._ends:
            end.transport.abort()
        self._ends.clear()
