"""The templates of all purposes, in a folder for each family.

To add a family, add a folder; to add a purpose, add a template to a file in one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..templates.template import Template


class _Idioms(Mapping[str, "tuple[Template, ...]"]):
    """The templates of each family, by its name, in the order of their purposes. A family is imported when
    its templates are first needed: its name alone needs no import."""

    def __getitem__(self, family: str) -> tuple[Template, ...]:
        if family not in _names():
            raise KeyError(family)
        return _templates(family)

    def __contains__(self, family: object) -> bool:
        return family in _names()

    def __iter__(self) -> Iterator[str]:
        return iter(_names())

    def __len__(self) -> int:
        return len(_names())


@cache
def _names() -> tuple[str, ...]:
    return tuple(sorted(found.name for found in iter_modules(__path__) if found.ispkg))


@cache
def _templates(family: str) -> tuple[Template, ...]:
    from ..templates.template import templates_of

    folder = import_module(f".{family}", __name__)
    modules = (import_module(f".{found.name}", folder.__name__) for found in iter_modules(folder.__path__))
    templates = (template for module in modules for template in templates_of(module))
    return tuple(sorted(templates, key=lambda template: template.purpose))


IDIOMS: Mapping[str, tuple[Template, ...]] = _Idioms()
