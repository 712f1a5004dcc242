"""Exceptions whose message is one line for the user."""

from __future__ import annotations

from .redacted import redacted


class _Redacted(Exception):
    """An exception whose message holds no password of a URL."""

    def __init__(self, *parts: object) -> None:
        super().__init__(*(redacted(each) if isinstance(each, str) else each for each in parts))


class UserError(_Redacted, ValueError):
    """Wrong input. The message is one line that says what is wrong and what is allowed."""


class Failure(_Redacted):
    """A command failed although its input is right; the message is for the user."""


class HubError(Failure):
    """The Hugging Face Hub could not be reached, or was too busy for too long. Trying again may help."""
