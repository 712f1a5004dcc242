"""Writes statements as lines of text."""

from __future__ import annotations

import json

from typing_extensions import assert_never

from ... import ir
from ...types import INT
from .expression_text import ExpressionWriter

INDENT = "    "

# Statements of one line.
Simple = (
    ir.ThreadIndex
    | ir.Let
    | ir.Variable
    | ir.Unpack
    | ir.Assign
    | ir.Accumulate
    | ir.Do
    | ir.Print
    | ir.Assert
    | ir.Break
    | ir.Continue
    | ir.Return
    | ir.Pass
)


def block(body: tuple[ir.Stmt, ...], depth: int, text: ExpressionWriter, head: list[str]) -> list[str]:
    """The lines of `head`, which opens the block, and of the block."""
    lines = list(head)
    for statement in body:
        if isinstance(statement, ir.Comment) and statement.beside:
            lines[-1] += f"  {_comment(statement.text)}"
        else:
            lines += _statement(statement, depth, text)
    return lines


def docstring(text: str | None, depth: int) -> list[str]:
    """A docstring's lines, indented like the code."""
    if text is None:
        return []
    pad = INDENT * depth
    escaped = text.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    if escaped.endswith('"'):
        escaped = escaped[:-1] + '\\"'
    first, *rest = escaped.split("\n")
    lines = [pad + '"""' + first, *(pad + line if line else "" for line in rest)]
    if rest:
        lines.append(pad)
    lines[-1] += '"""'
    return lines


def _statement(statement: ir.Stmt, depth: int, text: ExpressionWriter) -> list[str]:
    pad = INDENT * depth
    match statement:
        case ir.If():
            return _if(statement, depth, text)
        case ir.For(target, _, _, _, body):
            head = f"{pad}for {target.name} in {_range(statement, text)}:"
            return block(body, depth + 1, text, [head])
        case ir.While(condition, body):
            return block(body, depth + 1, text, [f"{pad}while {text.expression(condition)}:"])
        case ir.Comment(words):
            return [pad + _comment(line) for line in words.split("\n")]
        case _:
            return [pad + _simple(statement, text)]


def _comment(line: str) -> str:
    return f"# {line}" if line else "#"


def _simple(statement: Simple, text: ExpressionWriter) -> str:
    match statement:
        case ir.ThreadIndex(names):
            return f"{', '.join(name.name for name in names)} = wp.tid()"
        case ir.Let(target, value) | ir.Assign(target, value):
            return f"{text.expression(target)} = {text.expression(value)}"
        case ir.Variable(target, value):
            return f"{target.name} = {text.dynamic(value)}"
        case ir.Unpack(targets, value):
            return f"{', '.join(target.name for target in targets)} = {text.expression(value)}"
        case ir.Accumulate(target, operator, value):
            return f"{text.expression(target)} {operator}= {text.expression(value)}"
        case ir.Do(value):
            return text.expression(value)
        case ir.Print(format, operands):
            if format is None:
                return f"print({text.listed(operands)})"
            return f"wp.printf({', '.join([_quoted(format), *map(text.expression, operands)])})"
        case ir.Assert(condition, message):
            message_text = "" if message is None else f", {_asserted(message)}"
            return f"assert {text.expression(condition)}{message_text}"
        case ir.Return(values):
            return f"return {text.listed(values)}" if values else "return"
        case ir.Break():
            return "break"
        case ir.Continue():
            return "continue"
        case ir.Pass():
            return "pass"
        case _:
            assert_never(statement)


def _quoted(words: str) -> str:
    return json.dumps(words, ensure_ascii=False)


def _asserted(words: str) -> str:
    """The message of an assertion. Warp copies the statement into a C++ string, which an escaped quote would
    end."""
    return repr(words) if '"' in words else _quoted(words)


def _if(statement: ir.If, depth: int, text: ExpressionWriter) -> list[str]:
    """An ``orelse`` that is a lone ``if`` is written as ``elif``."""
    pad = INDENT * depth
    lines = block(statement.then, depth + 1, text, [f"{pad}if {text.expression(statement.condition)}:"])
    match statement.orelse:
        case ():
            return lines
        case (ir.If() as nested,):
            head, *rest = _if(nested, depth, text)
            return [*lines, f"{pad}el{head.lstrip()}", *rest]
        case orelse:
            return [*lines, *block(orelse, depth + 1, text, [f"{pad}else:"])]


def _range(loop: ir.For, text: ExpressionWriter) -> str:
    parts = [text.expression(loop.start), text.expression(loop.stop), str(loop.step)]
    count = max(loop.written, bounds_needed(loop.start, loop.step))
    return f"range({', '.join(parts[1:2] if count == 1 else parts[:count])})"


def bounds_needed(start: ir.Expr, step: int) -> int:
    """How many of start, stop and step a loop needs."""
    if step != 1:
        return 3
    return 1 if start == ir.Literal(0, INT) else 2
