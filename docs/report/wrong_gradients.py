"""Tells what `tests/findings/` knows of gradients that Warp computes wrongly: one kernel of each class."""

from __future__ import annotations

import ast
from pathlib import Path

FOLDER = Path(__file__).parents[2] / "tests" / "findings"
MOST = 4  # statements of a kernel that is shown within a sentence
# A class is a folder; each is shown by one of its files.
SHOWN = {
    "loops": "square_of_a_result",
    "jumps": "continue_after_a_sum",
    "components": "set_twice",
    "functions": "local_tuple",
    "arrays": "read_then_overwritten",
    "atomics": "returned_value",
    "builtins": "frac",
    "infinite": "root_of_zero",
}


def figures() -> dict[str, str]:
    found = {"wrong.classes": str(len(SHOWN))}
    all_wrong = all_right = described = 0
    for folder, file in SHOWN.items():
        wrong = wrong_files(folder)
        right = len(list((FOLDER / folder).glob("right_*.py")))
        all_wrong, all_right = all_wrong + len(wrong), all_right + right
        described += sum("\nUpstream: " in path.read_text(encoding="utf-8") for path in wrong)
        are = "is" if right == 1 else "are"
        found[f"wrong.{folder}.count"] = f"{len(wrong)} kernels, and {right} like them that {are} right"
        found[f"wrong.{folder}"] = shown(FOLDER / folder / f"{file}.py")
    counts = {"kernels": all_wrong, "right": all_right, "upstream": described}
    return found | {f"wrong.{name}": str(count) for name, count in counts.items()}


def wrong_files(folder: str) -> list[Path]:
    """The kernels of a class whose gradients are wrong."""
    return [path for path in (FOLDER / folder).glob("*.py") if not path.name.startswith("right_")]


def shown(path: Path) -> str:
    """A file's kernel, what its inputs are, Warp's gradient and the right one.

    A body of a few plain statements stands within the sentence, any other is a block of code.
    """
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    constants = {
        node.targets[0].id: ast.unparse(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    }
    first = next(at for at, node in enumerate(tree.body) if isinstance(node, (ast.FunctionDef, ast.ClassDef)))
    kernel = tree.body[-1]
    assert isinstance(kernel, ast.FunctionDef)
    told = f"with inputs `{constants['INPUTS']}` Warp's gradient is `{constants['WARP']}`"
    told = f"{told}, and `{constants['RIGHT']}` would be right"
    alone = len(tree.body) == first + 1
    if alone and len(kernel.body) <= MOST and all(map(in_a_line, kernel.body)):
        statements = [f"`{' '.join(ast.unparse(node).split())}`" for node in kernel.body]
        return f"Of {', '.join(statements)}, {told}."
    code = "\n".join(text.splitlines()[tree.body[first].lineno - 1 :]).strip()
    return f"Of the kernel below, {told}.\n\n```python\n{code}\n```"


def in_a_line(node: ast.stmt) -> bool:
    """Whether a statement can be written in one line: an assignment, or a loop with nothing but one."""
    if isinstance(node, ast.For):
        return len(node.body) == 1 and isinstance(node.body[0], (ast.Assign, ast.AugAssign))
    return isinstance(node, (ast.Assign, ast.AugAssign))
