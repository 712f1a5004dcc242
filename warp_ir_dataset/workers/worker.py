"""The worker process: runs a task for batches of items, and talks to its pool through a channel.

A pool starts it as ``python -m warp_ir_dataset.workers.worker`` and sends it batch after batch. Every message
is a pair of a kind and a content:

    batch        tuple         items; all other kinds are answers

    ready        None          it can take a batch
    running      index        a step for this item begins, or one for the WHOLE_BATCH
    results      list          one outcome per item, in order
    batch_failed text          the batch failed as a whole
    user_error   line          what was asked for cannot be
    bug          traceback     anything else that was raised

The channel has a descriptor of its own, because Warp and the compilers print on 1 and 2.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import resource
import shutil
import signal
import socket
import struct
import sys
import threading
import time
import traceback
from typing import Any, NoReturn

from ..common.errors import UserError
from ..common.outcomes import BatchFailed
from .task import Task

HEADER = struct.Struct("!Q")
READ_SIZE = 1 << 20
WATCH_SECONDS = 0.5
WHOLE_BATCH = -1

_REMOVE = "import shutil, sys; shutil.rmtree(sys.argv[1], ignore_errors=True)"


class Channel:
    """Whole messages over one end of a socket pair."""

    def __init__(self, stream: socket.socket) -> None:
        self.stream = stream
        self._unread = bytearray()

    def fileno(self) -> int:
        return self.stream.fileno()

    def send(self, kind: str, content: object) -> None:
        """Send one message. Raises `ConnectionError` when the other end is gone."""
        body = pickle.dumps((kind, content), protocol=pickle.HIGHEST_PROTOCOL)
        self.stream.sendall(HEADER.pack(len(body)) + body)

    def receive(self) -> list[tuple[str, Any]]:
        """Wait for some bytes; return the messages they complete, perhaps none.

        Raises `EOFError` when the other end is gone.
        """
        try:
            received = self.stream.recv(READ_SIZE)
        except ConnectionError:
            received = b""
        if not received:
            raise EOFError
        self._unread += received
        messages = []
        while (end := self._end_of_first()) <= len(self._unread):
            messages.append(pickle.loads(self._unread[HEADER.size : end]))
            del self._unread[:end]
        return messages

    def _end_of_first(self) -> int:
        if len(self._unread) < HEADER.size:
            return HEADER.size
        length: int = HEADER.unpack_from(self._unread)[0]
        return HEADER.size + length


def main() -> NoReturn:
    """Serve until the pool ends this process, or is gone."""
    descriptor, pool_pid, folder, function, *arguments = sys.argv[1:]
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interrupt is for the pool to decide about
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # a crash is an answer, not something to keep
    threading.Thread(target=_end_with, args=(int(pool_pid), folder), daemon=True).start()
    os.set_inheritable(int(descriptor), False)
    channel = Channel(socket.socket(fileno=int(descriptor)))
    with contextlib.suppress(ConnectionError):  # the pool is gone: nobody to tell
        try:
            _serve(channel, Task(function, tuple(arguments)))
        except UserError as error:
            channel.send("user_error", str(error))
        except Exception:
            channel.send("bug", traceback.format_exc())
    _end(folder)


def _serve(channel: Channel, task: Task) -> NoReturn:
    function = task.load()
    channel.send("ready", None)
    while True:
        for _, items in channel.receive():
            os.ftruncate(sys.stdout.fileno(), 0)  # the log holds what this batch prints
            try:
                outcomes = function(items, *task.arguments, lambda index: channel.send("running", index))
            except BatchFailed as failure:
                channel.send("batch_failed", str(failure))
            else:
                if len(outcomes) != len(items):
                    raise AssertionError(f"{len(outcomes)} outcomes for {len(items)} items")
                channel.send("results", outcomes)


def _end_with(pool_pid: int, folder: str) -> NoReturn:
    """End this process when the pool's does, even in the middle of an endless kernel.

    A thread can do that because native code runs without the interpreter's lock. The end of a pipe would
    not do for a sign of life, as every process that the pool's forks holds it too; nor would
    PR_SET_PDEATHSIG, which fires when the *thread* that started this process ends.
    """
    while os.getppid() == pool_pid:
        time.sleep(WATCH_SECONDS)
    # Another program in this process's place: a compiler that is still at work in another thread would
    # write to the folder while it is removed, and leave it behind.
    os.execv(sys.executable, [sys.executable, "-ISc", _REMOVE, folder])


def _end(folder: str) -> NoReturn:
    shutil.rmtree(folder, ignore_errors=True)
    os._exit(1)


if __name__ == "__main__":
    main()
