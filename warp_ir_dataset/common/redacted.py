"""URLs without what is secret in them: passwords, and what stands behind a question mark, as signatures do.

Whatever prints or keeps a URL that somebody gave goes through `redacted`; the messages of `UserError` and
`HubError` do by themselves.
"""

from __future__ import annotations

import re
from urllib.parse import unquote

HIDDEN = "***"

# `pathlib` leaves one slash of two.
_URL = re.compile(
    r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]+:/+)"
    r"(?P<rest>[^\s'\"`<>]+(?:[ '\"`<>][^\s'\"`<>/]*@[^\s'\"`<>]*)*)"  # a password may hold what ends a URL
)
_NO_PORT = re.compile(r":(?!\d*$)")
_END = re.compile(r"[:;,.)\]}]*$")
_CUT = "..."


def redacted(text: str, url: str = "") -> str:
    """A text whose URLs have no passwords and no queries; nor does it quote those of `url` in another way, as
    an error of a file system may."""
    text = _URL.sub(_without, text)
    for secret in sorted(_secrets(url), key=len, reverse=True):
        text = re.sub(rf"(?<!\w){re.escape(secret)}(?!\w)", HIDDEN, text)
    return text


def has_secrets(url: str) -> bool:
    """Whether `redacted` takes anything out of a URL."""
    return redacted(url) != url


def _without(match: re.Match[str]) -> str:
    rest = match["rest"]
    place, mark, query = _split(rest)
    at = _end_of_user(place)
    if at:
        place = f"{HIDDEN}@{place[at:]}"
    elif rest.endswith(_CUT) and _NO_PORT.search(place.partition("/")[0].removesuffix(_CUT)):
        place = f"{HIDDEN}{_CUT}"
    if query:
        end = _END.search(query)
        query = HIDDEN + (end[0] if end else "")
    return f"{match['scheme']}{place}{mark}{query}"


def _split(rest: str) -> tuple[str, str, str]:
    """What is before a query, the mark before it, and the query. A password may have such marks in it."""
    at = _end_of_user(rest)
    found = re.search(r"[?#]", rest[at:])
    if found is None:
        return rest, "", ""
    cut = at + found.start()
    return rest[:cut], rest[cut], rest[cut + 1 :]


def _end_of_user(rest: str) -> int:
    """Where the host begins, if a user stands before it; else 0. A name of a file may have an "@" too."""
    host = re.split(r"[/?#]", rest, maxsplit=1)[0]
    if "@" in host:
        return host.rindex("@") + 1
    # A password with a slash in it, as people write it.
    if "@" in rest and not host.startswith("[") and _NO_PORT.search(host):
        return rest.rindex("@") + 1
    return 0


def _secrets(url: str) -> set[str]:
    match = _URL.fullmatch(url)
    if match is None:
        return set()
    at = _end_of_user(match["rest"])
    user = match["rest"][: max(at - 1, 0)]
    values = re.findall(r"=([^&#]*)", _split(match["rest"])[2])
    password = user.partition(":")[2]
    pieces = [piece for piece in re.split(r"[/?#@:]", password) if len(piece) > 2]  # as parsers cut it
    found = {user, password, *pieces, *values}
    return {form for secret in found for form in (secret, unquote(secret)) if form}
