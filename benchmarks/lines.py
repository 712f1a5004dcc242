"""How large the project is: ``python benchmarks/lines.py [--commit HASH]``.

Prints a Markdown table of lines: of Python those of code, of Markdown all. A line is code if it holds a token
that belongs to no docstring, comment or import. With ``--commit``, the commit's figures stand in a column
before those of the working tree.
"""

from __future__ import annotations

import argparse
import ast
import io
import subprocess
import tarfile
import tokenize
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = "warp_ir_dataset"
TEMPLATES = (f"{PACKAGE}/synthesis/idioms/", f"{PACKAGE}/synthesis/composing/steps/")
LONGEST = 15
LAYOUT = (tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER)

Place = tuple[int, int]  # line and column
Tree = Mapping[str, str]  # the text of each file, by its path


def code_lines(text: str) -> set[int]:
    """The numbers of the lines that hold code."""
    found: set[int] = set()
    spans, end = dict(_uncounted(ast.parse(text))), (0, 0)
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        end = spans.get(token.start, end)
        if token.start >= end and token.type not in (*LAYOUT, tokenize.COMMENT) and token.string != ";":
            found.update(range(token.start[0], token.end[0] + 1))
    return {number for number, line in enumerate(text.split("\n"), 1) if number in found and line.strip()}


def _uncounted(tree: ast.Module) -> Iterator[tuple[Place, Place]]:
    """Where docstrings and imports begin and end."""
    for node in ast.walk(tree):
        match node:
            case ast.Import() | ast.ImportFrom():
                yield _span(node)
            case ast.Module() | ast.ClassDef() | ast.FunctionDef() | ast.AsyncFunctionDef():
                if ast.get_docstring(node, clean=False) is not None:
                    yield _span(node.body[0])


def _span(node: ast.stmt) -> tuple[Place, Place]:
    return (node.lineno, node.col_offset), (node.end_lineno or 0, node.end_col_offset or 0)


def part_of(path: str) -> str:
    """The row of the table that a Python file counts in."""
    top, _, rest = path.partition("/")
    if path.startswith(TEMPLATES):
        return "templates"
    if top == PACKAGE:
        return f"{top}/{rest.partition('/')[0]}" if "/" in rest else f"{top}, top modules"
    return top if top in ("tests", "benchmarks", "research") else "other Python"


def measured(tree: Tree) -> tuple[Counter[str], list[str]]:
    """Lines of each part, and the longest functions of the package without its templates."""
    parts: Counter[str] = Counter()
    functions: list[tuple[int, str]] = []
    for path, text in tree.items():
        if path.endswith(".py"):
            part, code = part_of(path), code_lines(text)
            parts[part] += len(code)
            if part.startswith(PACKAGE):
                parts[f"{PACKAGE}, all but templates"] += len(code)
                functions += _functions(path, text, code)
        # Below the package, Markdown is data.
        elif path.endswith(".md") and (path.count("/") < 2 or not path.startswith(PACKAGE)):
            parts["documents"] += text.count("\n")
    longest = sorted(functions, key=lambda each: (-each[0], each[1]))[:LONGEST]
    return parts, [f"{length} {where}" for length, where in longest]


def _functions(path: str, text: str, code: set[int]) -> Iterator[tuple[int, str]]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            length = len(code.intersection(range(node.lineno, (node.end_lineno or 0) + 1)))
            yield length, f"`{node.name}` {path}:{node.lineno}"


def working_tree() -> Tree:
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.split("\0")
    files = (name for name in sorted(set(names)) if name.endswith((".py", ".md")) and (ROOT / name).is_file())
    return {name: (ROOT / name).read_text(encoding="utf-8") for name in files}


def tree_of(commit: str) -> Tree:
    command = ["git", "archive", "--format=tar", commit]
    archive = subprocess.run(command, cwd=ROOT, check=True, capture_output=True).stdout
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        files = [member for member in tar if member.isfile() and member.name.endswith((".py", ".md"))]
        tree = {}
        for file in files:
            content = tar.extractfile(file)
            assert content is not None, "a plain file has content"
            tree[file.name] = content.read().decode()
        return tree


def table(columns: Mapping[str, Tree]) -> Iterator[str]:
    found = [measured(tree) for tree in columns.values()]
    names = {name for parts, _ in found for name in parts}
    yield f"| lines | {' | '.join(columns)} |"
    yield f"|---|{'---:|' * len(columns)}"
    for name in sorted(names, key=lambda name: (not name.startswith(PACKAGE), name)):
        yield f"| {name} | {' | '.join(f'{parts[name]:,}' for parts, _ in found)} |"
    for place in range(max(len(longest) for _, longest in found)):
        cells = [longest[place] if place < len(longest) else "" for _, longest in found]
        yield f"| longest function, {place + 1} | {' | '.join(cells)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--commit", metavar="HASH", help="a column of this commit too")
    commit = parser.parse_args().commit
    try:
        trees = {commit: tree_of(commit)} if commit else {}
    except subprocess.CalledProcessError as error:
        parser.error(error.stderr.decode().strip())
    print(*table({**trees, "working tree": working_tree()}), sep="\n")


if __name__ == "__main__":
    main()
