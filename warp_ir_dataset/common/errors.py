"""Exceptions whose message is one line for the user."""

from __future__ import annotations


class UserError(ValueError):
    """Wrong input. The message is one line that says what is wrong and what is allowed."""


class Failure(RuntimeError):
    """A command failed although its input is right; the message is for the user."""


class HubError(Failure):
    """The Hugging Face Hub could not be reached, or was too busy for too long. Trying again may help."""
