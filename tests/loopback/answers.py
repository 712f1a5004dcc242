"""What the loopback Hub answers: a function per address, given the hub, the request and parts of its path."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, quote

from loopback.repos import Blob, Commit, Refused, Repo, complaints

if TYPE_CHECKING:
    from loopback.hub import LoopbackHub

TIME = "2026-01-01T00:00:00.000Z"
NAME = r"[A-Za-z0-9][\w.-]{0,95}"


@dataclass
class Answer:
    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)


def answer(value: Any, status: int = 200, **headers: str) -> Answer:
    return Answer(status, json.dumps(value).encode(), {"Content-Type": "application/json", **headers})


@dataclass
class Request:
    method: str
    path: str
    query: dict[str, str]
    headers: Any
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    def __str__(self) -> str:
        return f"{self.method} {self.path}"


def whoami(hub: LoopbackHub, request: Request) -> Answer:
    user = hub.user(request)
    if user is None:
        raise Refused(401, "Invalid username or password.")
    role = "write" if user.may_write else "read"
    return answer(
        {
            "type": "user",
            "name": user.name,
            "orgs": [{"name": name} for name in user.organizations],
            "auth": {"accessToken": {"role": role}},
        }
    )


def overview(hub: LoopbackHub, request: Request, kind: str, name: str) -> Answer:
    users = {user.name for user in hub.users.values()}
    organizations = {name for user in hub.users.values() for name in user.organizations}
    if name not in (users if kind == "users" else organizations):
        raise Refused(404, "This user does not exist")
    return answer({"user": name, "name": name, "fullname": name, "avatarUrl": "", "type": kind[:-1]})


def create(hub: LoopbackHub, request: Request) -> Answer:
    wanted = request.json
    user = hub.user(request)
    if user is None:
        raise Refused(401, "Invalid username or password.")
    namespace, name = wanted.get("organization") or user.name, wanted["name"]
    if not re.fullmatch(NAME, name) or name.endswith((".", "-", ".git")) or re.search(r"--|\.\.", name):
        raise Refused(400, f"Invalid repo name: {namespace}/{name}")
    hub.writer(request, namespace)
    full = f"{namespace}/{name}"
    found = {"url": f"{hub.url}/datasets/{full}", "name": full, "type": "dataset"}
    if full in hub.repos:
        return answer({"error": "You already created this dataset repo", **found}, 409)
    hub.repos[full] = Repo(full, private=wanted.get("visibility") == "private" or bool(wanted.get("private")))
    return answer(found)


def info(hub: LoopbackHub, request: Request, name: str, revision: str) -> Answer:
    repo = hub.repo(request, name)
    commit = repo.resolve(revision or "main")
    return answer(
        {
            "id": name,
            "author": name.split("/")[0],
            "sha": commit.oid,
            "lastModified": TIME,
            "createdAt": TIME,
            "private": repo.private,
            "gated": False,
            "disabled": False,
            "downloads": 0,
            "likes": 0,
            "tags": [],
            "siblings": [{"rfilename": path} for path in sorted(commit.tree)],
        }
    )


def refs(hub: LoopbackHub, request: Request, name: str) -> Answer:
    repo = hub.repo(request, name)
    pulls = {f"refs/pr/{n + 1}": pull.head for n, pull in enumerate(repo.pulls)}

    def listed(kind: str, items: dict[str, str]) -> list[dict[str, str]]:
        return [{"name": n, "ref": f"{kind}{n}", "targetCommit": oid} for n, oid in items.items()]

    return answer(
        {
            "branches": listed("refs/heads/", repo.branches),
            "tags": listed("refs/tags/", repo.tags),
            "converts": [],
            "pullRequests": listed("", pulls),
        }
    )


def branch(hub: LoopbackHub, request: Request, name: str, new: str) -> Answer:
    repo = hub.repo(request, name, write=True)
    if new in repo.branches:
        raise Refused(409, f"Reference already exists: refs/heads/{new}")
    if not re.fullmatch(r"\w[\w./-]*", new) or new.startswith("refs/"):
        raise Refused(400, f"Invalid branch name: {new}")
    start = json.loads(request.body or b"{}").get("startingPoint", "main")
    repo.branches[new] = repo.resolve(start).oid
    return answer({})


def tag(hub: LoopbackHub, request: Request, name: str, at: str) -> Answer:
    repo = hub.repo(request, name, write=True)
    if request.method == "DELETE":
        if repo.tags.pop(at, None) is None:
            raise Refused(404, f"No tag {at}", "RevisionNotFound")
        return Answer(204)
    new = request.json["tag"]
    if new in repo.tags:
        raise Refused(409, f"Tag reference exists already: {new}")
    if not re.fullmatch(r"\w[\w.-]*", new):
        raise Refused(400, f"Invalid tag name: {new}")
    repo.tags[new] = repo.resolve(at).oid
    return answer({})


def discussions(hub: LoopbackHub, request: Request, name: str) -> Answer:
    repo = hub.repo(request, name)
    wanted = request.query.get("status", "all")
    found = [
        {
            "num": n,
            "title": pull.title,
            "status": pull.status,
            "isPullRequest": True,
            "createdAt": TIME,
            "author": {"name": pull.author},
            "repo": {"name": name, "type": "dataset"},
        }
        for n, pull in enumerate(repo.pulls, 1)
        if wanted in ("all", pull.status)
    ]
    return answer({"count": len(found), "start": 0, "discussions": found})


def entry(path: str, blob: Blob) -> dict[str, Any]:
    found: dict[str, Any] = {"type": "file", "oid": blob.oid, "size": len(blob.content), "path": path}
    if blob.large:
        found["lfs"] = {"oid": blob.sha256, "size": len(blob.content), "pointerSize": len(blob.pointer)}
    return found


def listing(commit: Commit, under: str, recursive: bool) -> list[dict[str, Any]]:
    inside = f"{under}/" if under else ""
    files = {path: blob for path, blob in commit.tree.items() if path.startswith(inside)}
    if under and not files:
        raise Refused(404, f"{under} does not exist on this revision", "EntryNotFound")
    folders = {
        inside + "/".join(parts[:depth])
        for parts in (path[len(inside) :].split("/") for path in files)
        for depth in (range(1, len(parts)) if recursive else (1,) if len(parts) > 1 else ())
    }
    shown = [entry(p, b) for p, b in files.items() if recursive or "/" not in p[len(inside) :]]
    oid = hashlib.sha1(commit.oid.encode()).hexdigest()
    shown += [{"type": "directory", "oid": oid, "size": 0, "path": path} for path in folders]
    return sorted(shown, key=lambda item: item["path"])


def tree(hub: LoopbackHub, request: Request, name: str, revision: str, under: str) -> Answer:
    commit = hub.repo(request, name).resolve(revision)
    found = listing(commit, under, request.query.get("recursive", "").lower() in ("1", "true"))
    start = int(request.query.get("cursor", 0))
    done = answer(found[start : start + hub.page])
    if start + hub.page < len(found):
        again = "&".join(f"{k}={quote(v)}" for k, v in request.query.items() if k != "cursor")
        link = f"{hub.url}{request.path}?{again}&cursor={start + hub.page}"
        done.headers["Link"] = f'<{link}>; rel="next"'
    return done


def paths_info(hub: LoopbackHub, request: Request, name: str, revision: str) -> Answer:
    commit = hub.repo(request, name).resolve(revision)
    paths = parse_qs(request.body.decode()).get("paths", [])
    everything = {item["path"]: item for item in listing(commit, "", recursive=True)}
    return answer([everything[path] for path in paths if path in everything])


def validate_yaml(hub: LoopbackHub, request: Request) -> Answer:
    card = request.json["content"]
    wrong = [{"message": message} for message in complaints(card)]
    warnings = [] if card.startswith("---") else [{"message": "empty or missing yaml metadata in repo card"}]
    return answer({"errors": wrong, "warnings": warnings}, 400 if wrong else 200)


def preupload(hub: LoopbackHub, request: Request, name: str, revision: str) -> Answer:
    as_pull = "create_pr" in request.query
    repo = hub.repo(request, name, write=not as_pull)
    if hub.user(request) is None:
        raise Refused(401, "Invalid username or password.")
    known = repo.resolve(revision).tree
    return answer(
        {
            "files": [
                {
                    "path": file["path"],
                    "uploadMode": "lfs" if repo.is_large(file["path"], file["size"], known) else "regular",
                    "shouldIgnore": False,
                    **({"oid": known[file["path"]].etag} if file["path"] in known else {}),
                }
                for file in request.json["files"]
            ]
        }
    )


def lfs_batch(hub: LoopbackHub, request: Request, name: str) -> Answer:
    wanted = request.json
    # A pull request names no branch, and needs no right to write.
    repo = hub.repo(request, name, write="ref" in wanted)
    if hub.user(request) is None:
        raise Refused(401, "Invalid username or password.")
    objects = []
    for item in wanted["objects"]:
        oid = item["oid"]
        actions = {
            "upload": {"href": f"{hub.storage}/{name}/{oid}?signature={_signature(oid)}"},
            "verify": {"href": f"{hub.url}/api/datasets/{name}/lfs-verify"},
        }
        objects.append({**item, **({} if oid in repo.objects else {"actions": actions})})
    return answer({"transfer": "basic", "objects": objects})


def lfs_put(hub: LoopbackHub, request: Request, name: str, oid: str) -> Answer:
    if request.query.get("signature") != _signature(oid):
        raise Refused(403, "SignatureDoesNotMatch")
    hub.repos[name].take_object(oid, request.body)
    return Answer(headers={"ETag": f'"{oid}"'})


def lfs_verify(hub: LoopbackHub, request: Request, name: str) -> Answer:
    wanted, objects = request.json, hub.repo(request, name).objects
    if len(objects.get(wanted["oid"], b"")) != wanted["size"]:
        raise Refused(404, "Object not found")
    return answer({})


def commit(hub: LoopbackHub, request: Request, name: str, revision: str) -> Answer:
    as_pull = "create_pr" in request.query
    repo = hub.repo(request, name, write=not as_pull)
    user = hub.user(request)
    if user is None:
        raise Refused(401, "Invalid username or password.")
    lines = (json.loads(line) for line in request.body.splitlines() if line)
    done, number = repo.commit(lines, revision, user.name, as_pull=as_pull)
    page = f"{hub.url}/datasets/{name}"
    found = {
        "success": True,
        "commitOid": done.oid,
        "commitUrl": f"{page}/commit/{done.oid}",
        "hookOutput": "",
    }
    if number:
        found["pullRequestUrl"] = f"{page}/discussions/{number}"
    return answer(found)


def resolve(hub: LoopbackHub, request: Request, name: str, revision: str, path: str) -> Answer:
    """Small files are answered at once, large ones by the way of a signed address, as on the Hub."""
    found = hub.repo(request, name).resolve(revision)
    blob = found.tree.get(path)
    headers = {"X-Repo-Commit": found.oid, "Accept-Ranges": "bytes"}
    if blob is None:
        done = answer({"error": "Entry not found"}, 404, **headers)
        done.headers.update({"X-Error-Code": "EntryNotFound", "X-Error-Message": "Entry not found"})
        return done
    headers["ETag"] = f'"{blob.etag}"'
    if blob.large:
        place = f"{hub.storage}/{name}/{blob.sha256}?signature={_signature(blob.sha256)}"
        linked = {"X-Linked-Size": str(len(blob.content)), "X-Linked-ETag": f'"{blob.sha256}"'}
        return Answer(302, headers={**headers, **linked, "Location": place})
    return _ranged(request, blob.content, headers)


def storage(hub: LoopbackHub, request: Request, name: str, oid: str) -> Answer:
    if request.query.get("signature") != _signature(oid):
        raise Refused(403, "SignatureDoesNotMatch")
    return _ranged(request, hub.repos[name].objects[oid], {"ETag": f'"{oid}"', "Accept-Ranges": "bytes"})


def _ranged(request: Request, content: bytes, headers: dict[str, str]) -> Answer:
    size = len(content)
    if request.method == "HEAD":
        return Answer(200, b"", {**headers, "Content-Length": str(size)})
    match = re.fullmatch(r"bytes=(\d*)-(\d*)", request.headers.get("Range", ""))
    if match is None:
        return Answer(200, content, headers)
    if not match[1]:  # the last bytes
        start, end = max(0, size - int(match[2])), size
    else:
        start, end = int(match[1]), min(size, int(match[2]) + 1) if match[2] else size
    if start >= size:
        return Answer(416, b"", {**headers, "Content-Range": f"bytes */{size}"})
    return Answer(206, content[start:end], {**headers, "Content-Range": f"bytes {start}-{end - 1}/{size}"})


def _signature(oid: str) -> str:
    return hashlib.sha256(f"secret {oid}".encode()).hexdigest()[:16]


ID = r"([^/]+/[^/]+?)"
API = f"/api/datasets/{ID}"
ROUTES: tuple[tuple[str, str, Callable[..., Answer]], ...] = (
    ("GET", "/api/whoami-v2", whoami),
    ("GET", r"/api/(users|organizations)/([^/]+)/overview", overview),
    ("POST", "/api/repos/create", create),
    ("POST", "/api/validate-yaml", validate_yaml),
    ("GET", f"{API}/refs", refs),
    ("GET", f"{API}/discussions", discussions),
    ("POST", f"{API}/branch/([^/]+)", branch),
    ("POST DELETE", f"{API}/tag/([^/]+)", tag),
    ("GET", f"{API}/tree/([^/]+)(?:/(.*))?", tree),
    ("POST", f"{API}/paths-info/([^/]+)", paths_info),
    ("POST", f"{API}/preupload/([^/]+)", preupload),
    ("POST", f"{API}/lfs-verify", lfs_verify),
    ("POST", f"{API}/commit/([^/]+)", commit),
    ("GET", f"{API}(?:/revision/([^/]+))?", info),
    ("POST", f"/datasets/{ID}.git/info/lfs/objects/batch", lfs_batch),
    ("PUT", f"/storage/{ID}/([0-9a-f]+)", lfs_put),
    ("GET HEAD", f"/storage/{ID}/([0-9a-f]+)", storage),
    ("GET HEAD", f"/datasets/{ID}/resolve/([^/]+)/(.+)", resolve),
)
