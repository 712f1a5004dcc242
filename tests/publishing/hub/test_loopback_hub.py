"""The loopback Hub answers as the Hub does; `test_hub.py` lets the real clients talk to it."""

from __future__ import annotations

import base64
import hashlib
import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from email.message import Message
from http.client import RemoteDisconnected
from typing import Any

import pytest
from loopback.hub import Fault, LoopbackHub

pytestmark = pytest.mark.hub

ALICE, READER, MALLORY = "hf_alice", "hf_reader", "hf_mallory"
ROWS = b"PAR1 rows"
OID = hashlib.sha256(ROWS).hexdigest()
API = "/api/datasets/alice/kernels"


class NoRedirection(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        return None


@pytest.fixture
def hub() -> Iterator[LoopbackHub]:
    with LoopbackHub() as hub:
        hub.add_user("alice", organizations=("lab",))
        hub.add_user("reader", may_write=False)
        hub.add_user("mallory")
        yield hub


@pytest.fixture
def kernels(hub: LoopbackHub) -> LoopbackHub:
    """A hub with an empty dataset alice/kernels."""
    assert ask(hub, "POST", "/api/repos/create", {"name": "kernels", "type": "dataset"})[0] == 200
    return hub


def ask(
    hub: LoopbackHub, method: str, path: str, body: Any = None, token: str | None = ALICE, **headers: str
) -> tuple[int, Message, bytes]:
    data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
    if token:
        headers["Authorization"] = f"Bearer {token}"
    url = path if path.startswith("http") else hub.url + path
    request = urllib.request.Request(url, data=data, method=method, headers=headers)
    opener = urllib.request.build_opener(NoRedirection, urllib.request.ProxyHandler({}))
    try:
        with opener.open(request, timeout=10) as response:
            return response.status, response.headers, response.read()
    except urllib.error.HTTPError as error:
        return error.code, error.headers, error.read()


def file(path: str, content: bytes) -> dict[str, Any]:
    return {"key": "file", "value": {"path": path, "content": base64.b64encode(content).decode()}}


def large(path: str, oid: str = OID) -> dict[str, Any]:
    return {"key": "lfsFile", "value": {"path": path, "algo": "sha256", "oid": oid}}


def commit(
    hub: LoopbackHub,
    *operations: dict[str, Any],
    at: str = "main",
    parent: str | None = None,
    token: str | None = ALICE,
) -> tuple[int, Message, Any]:
    header = {"summary": "A commit", **({"parentCommit": parent} if parent else {})}
    lines = [{"key": "header", "value": header}, *operations]
    body = b"".join(json.dumps(line).encode() + b"\n" for line in lines)
    status, headers, text = ask(hub, "POST", f"{API}/commit/{at}", body, token)
    return status, headers, json.loads(text)


def upload(hub: LoopbackHub, content: bytes = ROWS, oid: str = OID) -> int:
    wanted = {"operation": "upload", "objects": [{"oid": oid, "size": len(content)}]}
    address = "/datasets/alice/kernels.git/info/lfs/objects/batch"
    actions = json.loads(ask(hub, "POST", address, wanted)[2])["objects"][0]["actions"]
    return ask(hub, "PUT", actions["upload"]["href"], content, token=None)[0]


def files(hub: LoopbackHub, revision: str = "main") -> set[str]:
    return {*hub.repos["alice/kernels"].resolve(revision).tree} - {".gitattributes"}


def test_a_dataset_is_created_once(hub: LoopbackHub) -> None:
    status, headers, _ = ask(hub, "GET", API)
    assert (status, headers["X-Error-Code"]) == (404, "RepoNotFound")
    wanted = {"name": "kernels", "type": "dataset", "visibility": "private"}
    assert ask(hub, "POST", "/api/repos/create", wanted)[0] == 200
    assert ask(hub, "POST", "/api/repos/create", wanted)[0] == 409
    info = json.loads(ask(hub, "GET", API)[2])
    assert info["private"] and info["siblings"] == [{"rfilename": ".gitattributes"}]
    assert info["sha"] == json.loads(ask(hub, "GET", f"{API}/revision/main")[2])["sha"]


@pytest.mark.parametrize("name", ["a--b", "a..b", ".a", "a.git", "a b", "-a", "ä"])
def test_names_that_are_not_allowed(hub: LoopbackHub, name: str) -> None:
    assert ask(hub, "POST", "/api/repos/create", {"name": name})[0] == 400


def test_tokens_and_rights(kernels: LoopbackHub) -> None:
    assert ask(kernels, "GET", API, token=None)[0] == 200
    status, headers, _ = ask(kernels, "GET", API, token="hf_nobody")
    assert (status, headers["X-Error-Message"]) == (401, "Invalid credentials in Authorization header")
    for token, refused in ((None, 401), (READER, 403), (MALLORY, 403), (ALICE, 200)):
        assert commit(kernels, file("a", b""), token=token)[0] == refused
        status = ask(kernels, "POST", f"{API}/branch/of-{token}", {}, token)[0]
        assert status == refused
    new = {"name": "x", "organization": "lab"}
    assert ask(kernels, "POST", "/api/repos/create", new, MALLORY)[0] == 403
    assert ask(kernels, "POST", "/api/repos/create", new, ALICE)[0] == 200


def test_a_private_dataset_is_hidden(kernels: LoopbackHub) -> None:
    kernels.repos["alice/kernels"].private = True
    assert [ask(kernels, "GET", API, token=t)[0] for t in (ALICE, MALLORY, None)] == [200, 404, 401]


def test_what_is_not_there_has_a_code(kernels: LoopbackHub) -> None:
    resolve = "/datasets/alice/kernels/resolve"
    for path, code in (
        (f"{API}/revision/v9", "RevisionNotFound"),
        (f"{API}/tree/main/cpu", "EntryNotFound"),
        (f"{resolve}/v9/README.md", "RevisionNotFound"),
        (f"{resolve}/main/README.md", "EntryNotFound"),
        ("/datasets/alice/other/resolve/main/README.md", "RepoNotFound"),
    ):
        status, headers, _ = ask(kernels, "GET", path)
        assert (status, headers["X-Error-Code"]) == (404, code), path


def test_a_commit_is_done_whole_or_not_at_all(kernels: LoopbackHub) -> None:
    assert upload(kernels) == 200
    assert commit(kernels, file("README.md", b"# hi"), large("cpu/train.parquet"))[0] == 200
    assert files(kernels) == {"README.md", "cpu/train.parquet"}
    gone = {"key": "deletedFile", "value": {"path": "cpu/train.parquet"}}
    for wrong, refused in (
        ({"key": "deletedFile", "value": {"path": "no"}}, 404),
        (large("b.parquet", "0" * 64), 400),
        (file("b.parquet", ROWS), 400),  # .gitattributes makes it a large file
        (file("../b", b""), 400),
        (file("README.md", b"---\ntags: one\n---\n"), 400),
    ):
        assert commit(kernels, gone, wrong)[0] == refused
        assert files(kernels) == {"README.md", "cpu/train.parquet"}
    assert commit(kernels, {"key": "deletedFolder", "value": {"path": "cpu"}})[0] == 200
    assert files(kernels) == {"README.md"}


def test_a_commit_upon_an_old_one_is_refused(kernels: LoopbackHub) -> None:
    first = commit(kernels, file("a", b"1"))[2]["commitOid"]
    assert commit(kernels, file("a", b"2"), parent=first)[0] == 200
    assert commit(kernels, file("a", b"3"), parent=first)[0] == 412
    assert kernels.repos["alice/kernels"].resolve("main").tree["a"].content == b"2"
    assert kernels.repos["alice/kernels"].resolve(first).tree["a"].content == b"1"


def test_large_files_are_checked_and_kept(kernels: LoopbackHub) -> None:
    assert upload(kernels, b"other") == 400
    assert ask(kernels, "PUT", f"{kernels.storage}/alice/kernels/{OID}?signature=no", ROWS)[0] == 403
    assert upload(kernels) == 200
    wanted = {"objects": [{"oid": OID, "size": len(ROWS)}]}
    answer = ask(kernels, "POST", "/datasets/alice/kernels.git/info/lfs/objects/batch", wanted)[2]
    assert "actions" not in json.loads(answer)["objects"][0]  # it need not be sent again


def test_files_are_read_whole_and_in_ranges(kernels: LoopbackHub) -> None:
    upload(kernels)
    oid = commit(kernels, file("a.txt", b"0123456789"), large("b.parquet"))[2]["commitOid"]
    place = "/datasets/alice/kernels/resolve/main"
    status, headers, body = ask(kernels, "GET", f"{place}/a.txt")
    assert (status, headers["X-Repo-Commit"], body) == (200, oid, b"0123456789")
    assert ask(kernels, "HEAD", f"{place}/a.txt")[1]["Content-Length"] == "10"
    for wanted, status, part in (
        ("bytes=2-4", 206, b"234"),
        ("bytes=7-", 206, b"789"),
        ("bytes=-2", 206, b"89"),
        ("bytes=10-", 416, b""),
    ):
        found = ask(kernels, "GET", f"{place}/a.txt", Range=wanted)
        assert (found[0], found[2]) == (status, part)
    status, headers, _ = ask(kernels, "HEAD", f"{place}/b.parquet")
    assert (status, headers["X-Linked-Size"], headers["X-Linked-ETag"]) == (302, "9", f'"{OID}"')
    assert ask(kernels, "GET", headers["Location"], token=None)[2] == ROWS


def test_listings_have_folders_and_pages(kernels: LoopbackHub) -> None:
    commit(kernels, *(file(f"cpu/{n}", b"") for n in range(5)), file("README.md", b"# hi"))
    top = json.loads(ask(kernels, "GET", f"{API}/tree/main")[2])
    assert [(e["path"], e["type"]) for e in top] == [
        (".gitattributes", "file"),
        ("README.md", "file"),
        ("cpu", "directory"),
    ]
    kernels.page = 3
    found, path = [], f"{API}/tree/main/cpu?recursive=True"
    while path:
        _, headers, body = ask(kernels, "GET", path)
        found += [entry["path"] for entry in json.loads(body)]
        path = headers["Link"].split(";")[0].strip("<>") if "Link" in headers else ""
    assert found == [f"cpu/{n}" for n in range(5)]


def test_branches_and_tags(kernels: LoopbackHub) -> None:
    first = commit(kernels, file("a", b"1"))[2]["commitOid"]
    assert ask(kernels, "POST", f"{API}/branch/dev", {})[0] == 200
    assert ask(kernels, "POST", f"{API}/branch/dev", {})[0] == 409
    assert ask(kernels, "POST", f"{API}/tag/main", {"tag": "v1.0.0"})[0] == 200
    assert ask(kernels, "POST", f"{API}/tag/main", {"tag": "v1.0.0"})[0] == 409
    commit(kernels, file("a", b"2"), at="dev")
    repo = kernels.repos["alice/kernels"]
    assert [repo.resolve(r).tree["a"].content for r in ("main", "v1.0.0", first[:9], "dev")] == [
        b"1",
        b"1",
        b"1",
        b"2",
    ]
    assert commit(kernels, file("a", b"3"), at="v1.0.0")[0] == 400
    refs = json.loads(ask(kernels, "GET", f"{API}/refs")[2])
    assert [tag["targetCommit"] for tag in refs["tags"]] == [first]
    assert ask(kernels, "DELETE", f"{API}/tag/v1.0.0")[0] == 204
    assert ask(kernels, "DELETE", f"{API}/tag/v1.0.0")[0] == 404


def test_a_pull_request_leaves_the_branch_alone(kernels: LoopbackHub) -> None:
    done = commit(kernels, file("a", b"1"), at="main?create_pr=1", token=MALLORY)[2]
    assert done["pullRequestUrl"].endswith("/discussions/1")
    assert files(kernels) == set() and files(kernels, "refs/pr/1") == {"a"}
    listed = json.loads(ask(kernels, "GET", f"{API}/discussions?status=open")[2])["discussions"]
    assert [(pull["num"], pull["title"]) for pull in listed] == [(1, "A commit")]


@pytest.mark.parametrize(
    ("card", "status"),
    [
        ("---\ntags: [code]\n---\n# hi", 200),
        ("# no YAML is a warning", 200),
        ("---\ntags: [code\n---\n", 400),
        ("---\n- a list\n---\n", 400),
        ("---\nconfigs:\n- {config_name: a, default: true}\n- {config_name: b, default: true}\n---\n", 400),
        ("---\nconfigs:\n- data_files: [{split: train, path: 'warpir://x'}]\n---\n", 400),
    ],
)
def test_the_yaml_of_a_card_is_checked(hub: LoopbackHub, card: str, status: int) -> None:
    found, _, body = ask(hub, "POST", "/api/validate-yaml", {"content": card, "repoType": "dataset"})
    assert found == status and bool(json.loads(body)["errors"]) == (status == 400)


def test_faults_strike_as_they_are_told(kernels: LoopbackHub) -> None:
    kernels.faults = [Fault("GET .*kernels$", status=429, every=2, times=2, headers={"Retry-After": "3"})]
    answers = [ask(kernels, "GET", API) for _ in range(7)]
    assert [status for status, *_ in answers] == [200, 429, 200, 429, 200, 200, 200]
    assert answers[1][1]["Retry-After"] == "3"


@pytest.mark.parametrize("after", [False, True])
def test_a_dropped_connection_may_have_had_its_effect(kernels: LoopbackHub, after: bool) -> None:
    kernels.faults = [Fault("commit", after=after, times=1)]
    with pytest.raises((RemoteDisconnected, ConnectionError, urllib.error.URLError)):
        commit(kernels, file("a", b"1"))
    assert files(kernels) == ({"a"} if after else set())


def test_something_may_happen_in_between(kernels: LoopbackHub) -> None:
    head = kernels.repos["alice/kernels"].resolve("main").oid
    kernels.faults = [
        Fault("commit", first=lambda: kernels.repos["alice/kernels"].edit("b", b"x"), harmless=True, times=1)
    ]
    assert commit(kernels, file("a", b"1"), parent=head)[0] == 412
    assert files(kernels) == {"b"}
    assert kernels.sent("commit") == [f"POST {API}/commit/main"]
