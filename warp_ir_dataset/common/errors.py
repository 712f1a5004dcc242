"""Exceptions whose message is one line for the user."""

from __future__ import annotations

from .redacted import redacted


class _Said(Exception):
    """Its message quotes no password of a URL."""

    def __init__(self, *said: object) -> None:
        super().__init__(*(redacted(each) if isinstance(each, str) else each for each in said))


class UserError(_Said, ValueError):
    """Wrong input. The message is one line that says what is wrong and what is allowed."""


class HubError(_Said):
    """The Hugging Face Hub could not be reached, or was too busy for too long. Trying again may help."""
