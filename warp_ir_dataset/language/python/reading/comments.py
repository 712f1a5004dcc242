"""Reads the comments of a source, which Python's tree lacks, and attaches each to its statement."""

from __future__ import annotations

import ast
import bisect
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ... import ir

# A source that has been parsed, in pieces: comments, strings, ends of lines, and code between them; ``else``
# is one of its own. Python's own tokenizer takes ten times as long. It alone handles quotes in the braces of
# an f-string; an error here ends with its line.
_PIECES = re.compile(
    r'''#[^\r\n]*|\n|"""(?:[^"\\]|\\.|"(?!""))*"""|\'{3}(?:[^'\\]|\\.|'(?!''))*\'{3}'''
    r"""|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|(?:else|elif)\b|[^\s#'"\\]+""",
    re.DOTALL,
)


@dataclass(frozen=True)
class _Remark:
    line: int
    column: int
    text: str
    after: int  # the last line with code above it, or its own

    @property
    def beside(self) -> bool:
        return self.after == self.line


class Comments:
    """All comments of a source, by line."""

    def __init__(self, source: str) -> None:
        self.found: list[_Remark] = []
        self.else_lines: list[int] = []
        if "#" not in source:  # the search is slow
            return
        line, start, code = 1, 0, 0  # `start` is where the line begins, `code` the last line with code so far
        for match in _PIECES.finditer(source):
            piece_text = match.group()
            if piece_text == "\n":
                line, start = line + 1, match.end()
            elif piece_text.startswith("#"):
                text = piece_text[1:].removeprefix(" ").rstrip()
                self.found.append(_Remark(line, match.start() - start, text, code))
            else:
                if piece_text in ("else", "elif") and code < line:
                    self.else_lines.append(line)
                if breaks := piece_text.count("\n"):
                    line, start = line + breaks, match.start() + piece_text.rindex("\n") + 1
                code = line

    def reader(self, function: ast.FunctionDef) -> Reader:
        return Reader(self, bisect.bisect_left(self.found, function.body[0].lineno, key=lambda r: r.line))


class Reader:
    """Returns the comments of one function, in the order of its statements."""

    def __init__(self, comments: Comments, start: int) -> None:
        self.comments = comments
        self.next = start

    def head(self, function: ast.FunctionDef) -> list[ir.Comment]:
        """Comments beside a function's first line, and those between it and a docstring."""
        found = self.comments.found
        while self.next > 0 and found[self.next - 1].line >= function.lineno:
            self.next -= 1
        while self.next < len(found) and found[self.next].line < _header_end(function):
            self.next += 1  # beside a parameter that has a line of its own
        return self._beside(function.body[0].lineno)

    def before(self, statement: ast.stmt) -> list[ir.Comment]:
        """Comments above a statement, or within its lines except the last."""
        return self._until(_header_end(statement))

    def beside(self, statement: ast.stmt, following: ast.stmt | None) -> list[ir.Comment]:
        """Comments at the end of a statement's line, or of the first line of a block."""
        end = _header_end(statement)
        if following is not None and following.lineno == end:
            return []
        return self._beside(end + 1)

    def opening(self, statement: ast.If | ast.While | ast.For) -> list[ir.Comment]:
        """Comments at the end of the line that opens a block."""
        return self._beside(statement.body[0].lineno)

    def closing(self, body: Sequence[ast.stmt]) -> list[ir.Comment]:
        """Comments below a block's last statement that are indented like it."""
        if body[-1].lineno in self.comments.else_lines:
            return []  # an `elif`, which stands no deeper than what follows the whole branch
        end, column = body[-1].end_lineno or 0, body[-1].col_offset
        texts = []
        for remark in self._following():
            if remark.after > end or remark.beside or remark.column < column:
                break
            texts.append(remark.text)
            self.next += 1
        return _joined(texts)

    def above_else(self, statement: ast.If) -> list[ir.Comment]:
        """Comments between a block and the ``else`` or ``elif`` below it, whatever their indentation."""
        lines = self.comments.else_lines
        place = bisect.bisect_right(lines, statement.body[-1].end_lineno or 0)
        return self._until(lines[place]) if place < len(lines) else []

    def otherwise(self, statement: ast.If) -> list[ir.Comment]:
        """Comments at the end of an ``else:`` line."""
        return self._beside(statement.orelse[0].lineno)

    def _following(self) -> Iterator[_Remark]:
        while self.next < len(self.comments.found):
            yield self.comments.found[self.next]

    def _until(self, line: int) -> list[ir.Comment]:
        texts = []
        for remark in self._following():
            if remark.line >= line:
                break
            texts.append(remark.text)
            self.next += 1
        return _joined(texts)

    def _beside(self, line: int) -> list[ir.Comment]:
        found = []
        for remark in self._following():
            if not remark.beside or remark.line >= line:
                break
            found.append(ir.Comment(remark.text, beside=True))
            self.next += 1
            break
        return found


def _joined(texts: list[str]) -> list[ir.Comment]:
    return [ir.Comment("\n".join(texts))] if texts else []


def _header_end(statement: ast.stmt) -> int:
    """The last line of a statement, or of the head of a block."""
    match statement:
        case ast.If(test=test) | ast.While(test=test):
            return test.end_lineno or 0
        case ast.For(iter=over):
            return over.end_lineno or 0
        case ast.FunctionDef(args=args, returns=returns):
            ends = [node.end_lineno or 0 for node in ast.walk(args) if isinstance(node, (ast.arg, ast.expr))]
            return max([statement.lineno, *ends, (returns.end_lineno or 0) if returns else 0])
        case _:
            return statement.end_lineno or 0
