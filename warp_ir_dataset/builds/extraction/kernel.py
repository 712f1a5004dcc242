"""The facts about an extracted kernel, or the reason why it could not be extracted."""

from __future__ import annotations

from dataclasses import dataclass

from ...compilers.extracting.extract import Extraction
from ...language import ir
from ...language.identity import Identity, identify, identify_text, kernel_group
from ...language.python.read import Unreadable, read


@dataclass(frozen=True)
class Failure:
    """Why there is nothing of a kernel."""

    why: str


@dataclass(frozen=True)
class Kernel:
    """A kernel that has a source: what was extracted, its tree if its source can be read, and which it is."""

    extraction: Extraction
    program: ir.Program | None
    identity: Identity
    group: str

    @classmethod
    def of(cls, found: Extraction) -> Kernel:
        """Reads the source, which must be there. One that cannot be read is known by its text."""
        assert found.python_source is not None
        try:
            program = read(found.python_source, kernel=found.name)
        except Unreadable:
            identity = identify_text(found.python_source)
            return cls(found, None, identity, identity.skeleton)
        return cls(found, program, identify(program), kernel_group(program))

    @property
    def source(self) -> str:
        assert self.extraction.python_source is not None
        return self.extraction.python_source
