"""A Hub on loopback: an HTTP server that speaks as much of huggingface.co's protocol as pushing and loading
a dataset need, so that the real `huggingface_hub` and `datasets` clients can be tested without a network.

    with LoopbackHub() as hub:
        hub.add_user("alice")                      # her token is "hf_alice"
        subprocess.run(..., env={**os.environ, **hub.environment("alice", cache)})
        hub.repos["alice/kernels"].resolve("main").tree["README.md"].content

It checks tokens and rights, refuses what the Hub refuses as far as its documentation tells, writes down all
requests, and goes wrong when it is told to (`faults`). Large files go by LFS: `HF_HUB_DISABLE_XET` is set.
"""

from __future__ import annotations

import re
import socket
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

from loopback.answers import ROUTES, Answer, Request, answer
from loopback.repos import Refused, Repo


@dataclass
class User:
    name: str
    may_write: bool = True
    organizations: tuple[str, ...] = ()


@dataclass
class Fault:
    """Something that goes wrong at every `every`-th request that matches `on`, `times` times at most.

    `on` is searched in, say, "POST /api/datasets/alice/kernels/commit/main". Unless a status is given, the
    connection is dropped: before the request has any effect, or after. `first` is done before all that.
    """

    on: str = ""
    status: int | None = None
    every: int = 1
    times: int = 1_000_000
    headers: dict[str, str] = field(default_factory=dict)
    after: bool = False
    first: Callable[[], object] | None = None
    harmless: bool = False  # nothing but `first`
    seen: int = 0

    def strikes(self, request: str) -> bool:
        if self.times == 0 or not re.search(self.on, request):
            return False
        self.seen += 1
        if self.seen % self.every:
            return False
        self.times -= 1
        return True


class Dropped(Exception):
    """The connection is to be closed without an answer."""


class LoopbackHub:
    """Use as a context manager; `url` is what HF_ENDPOINT should be."""

    def __init__(self) -> None:
        self.users: dict[str, User] = {}
        self.repos: dict[str, Repo] = {}
        self.faults: list[Fault] = []
        self.requests: list[tuple[str, int]] = []  # "METHOD /path", bytes of its body
        self.page = 1000  # entries of a listing
        self._lock = threading.RLock()

    def __enter__(self) -> LoopbackHub:
        handler = type("Handler", (_Handler,), {"hub": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        # Large files lie on another host, to which clients treat redirections differently.
        self.storage = f"http://localhost:{self._server.server_port}/storage"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def add_user(self, name: str, *, may_write: bool = True, organizations: tuple[str, ...] = ()) -> str:
        """Returns the user's token."""
        self.users[f"hf_{name}"] = User(name, may_write, organizations)
        return f"hf_{name}"

    def environment(self, user: str | None, cache: Path) -> dict[str, str]:
        """What a client's process needs in its environment."""
        return {
            "HF_ENDPOINT": self.url,
            "HF_TOKEN": f"hf_{user}" if user else "",
            "HF_HOME": str(cache),
            "HF_HUB_DISABLE_XET": "1",
            "HF_HUB_DISABLE_PROGRESS_BARS": "1",
            "NO_PROXY": "127.0.0.1,localhost",
        }

    def sent(self, pattern: str = "") -> list[str]:
        """Requests so far that match."""
        return [request for request, _ in self.requests if re.search(pattern, request)]

    def handle(self, request: Request) -> Answer:
        with self._lock:
            self.requests.append((str(request), len(request.body)))
            fault = next((f for f in self.faults if f.strikes(str(request))), None)
        if fault and fault.first:
            fault.first()  # it may take long, and talk to this hub
        with self._lock:
            if fault is None or fault.harmless:
                return self._answer(request)
            if fault.status is not None:
                # A gateway's page, not the JSON that the Hub itself writes.
                page = {"Content-Type": "text/html", **fault.headers}
                return Answer(fault.status, b"<html>injected</html>", page)
            if fault.after:
                self._answer(request)
            raise Dropped

    def _answer(self, request: Request) -> Answer:
        try:
            for method, pattern, respond in ROUTES:
                if request.method in method and (match := re.fullmatch(pattern, request.path)):
                    return respond(self, request, *(unquote(part or "") for part in match.groups()))
            raise Refused(404, "Sorry, we can't find the page you are looking for.")
        except Refused as refused:
            headers = {"X-Error-Message": refused.message}
            if refused.code:
                headers["X-Error-Code"] = refused.code
            return answer({"error": refused.message}, refused.status, **headers)

    # ---- who may do what

    def user(self, request: Request) -> User | None:
        header = request.headers.get("Authorization")
        if header is None:
            return None
        user = self.users.get(header.removeprefix("Bearer "))
        if user is None:
            raise Refused(401, "Invalid credentials in Authorization header")
        return user

    def writer(self, request: Request, namespace: str) -> User:
        user = self.user(request)
        if user is None:
            raise Refused(401, "Invalid username or password.")
        if not user.may_write or namespace not in (user.name, *user.organizations):
            raise Refused(403, f"You don't have write access in the namespace {namespace!r}")
        return user

    def repo(self, request: Request, name: str, *, write: bool = False) -> Repo:
        user, repo, namespace = self.user(request), self.repos.get(name), name.split("/")[0]
        hidden = repo is None or (
            repo.private and (user is None or namespace not in (user.name, *user.organizations))
        )
        if repo is None or hidden:
            raise Refused(404 if user else 401, "Repository not found", "RepoNotFound")
        if write:
            self.writer(request, namespace)
        return repo


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    hub: LoopbackHub

    def _serve(self) -> None:
        address = urlsplit(self.path)
        query = {name: values[-1] for name, values in parse_qs(address.query).items()}
        request = Request(self.command, address.path, query, self.headers, self._body())
        try:
            done = self.hub.handle(request)
        except Dropped:
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)
            return
        self.send_response(done.status)
        for name, value in {"Content-Length": str(len(done.body)), **done.headers}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(done.body)

    do_GET = do_HEAD = do_POST = do_PUT = do_DELETE = _serve

    def _body(self) -> bytes:
        if "chunked" not in self.headers.get("Transfer-Encoding", ""):
            return self.rfile.read(int(self.headers.get("Content-Length", 0)))
        parts = []
        while size := int(self.rfile.readline().split(b";")[0], 16):
            parts.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(parts)

    def log_message(self, format: str, *args: object) -> None:
        """Silent: `LoopbackHub.requests` is the log."""
