"""A mechanical reader of specifications, which knows nothing of what wrote them.

It reads the words and formulas that a person would, and calculates what they say, thread after thread. What
it cannot read it names: `Unreadable`.
"""
