"""The one exception that means: the user asked for something that cannot be."""

from __future__ import annotations


class UserError(ValueError):
    """Wrong input. The message is one line that says what is wrong and what is allowed."""
