"""Tells what `tests/findings/` knows of gradients that Warp computes wrongly: one kernel of each class."""

from __future__ import annotations

import ast
from pathlib import Path

FOLDER = Path(__file__).parents[2] / "tests" / "findings"
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
    all_wrong = all_right = 0
    for folder, file in SHOWN.items():
        right = len(list((FOLDER / folder).glob("right_*.py")))
        wrong = len(list((FOLDER / folder).glob("*.py"))) - right
        all_wrong, all_right = all_wrong + wrong, all_right + right
        found[f"wrong.{folder}.count"] = f"{wrong} kernels, and {right} like them that are right"
        found[f"code:wrong.{folder}"], found[f"wrong.{folder}"] = shown(FOLDER / folder / f"{file}.py")
    return found | {"wrong.kernels": str(all_wrong), "wrong.right": str(all_right)}


def shown(path: Path) -> tuple[str, str]:
    """A file's kernel as a block of code, and a sentence with Warp's gradient and the right one."""
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    constants = {
        node.targets[0].id: ast.unparse(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    }
    first = next(node for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef)))
    begin = min(decorator.lineno for decorator in first.decorator_list)
    code = "\n".join(text.splitlines()[begin - 1 :]).strip()
    sentence = f"Inputs `{constants['INPUTS']}`; Warp's gradient `{constants['WARP']}`, the right one"
    return f"```python\n{code}\n```", f"{sentence} `{constants['RIGHT']}`."
