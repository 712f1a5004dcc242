"""Tells what `tests/findings/` knows of gradients that Warp computes wrongly: one kernel of each class."""

from __future__ import annotations

import ast
from pathlib import Path

from warp_ir_dataset.publishing.markdown import table

FOLDER = Path(__file__).parents[2] / "tests" / "findings"
# A class is a folder; each is shown by one of its files.
SHOWN = {
    "loops": ("a dynamic loop", "square_of_a_result"),
    "jumps": ("a jump", "continue_after_a_sum"),
    "components": ("a component", "set_twice"),
    "functions": ("a struct or tuple", "struct_changed_after_a_call"),
    "arrays": ("an array", "read_then_overwritten"),
    "atomics": ("an atomic", "returned_value"),
    "builtins": ("a built-in", "frac"),
    "infinite": ("an infinite slope", "root_of_zero"),
}


def figures() -> dict[str, str]:
    found: dict[str, str] = {}
    counts = []
    for folder, (name, file) in SHOWN.items():
        right = len(list((FOLDER / folder).glob("right_*.py")))
        wrong = len(list((FOLDER / folder).glob("*.py"))) - right
        counts.append((name, wrong, right))
        found[f"code:wrong.{folder}"], found[f"wrong.{folder}"] = shown(FOLDER / folder / f"{file}.py")
    rows = [[name, str(wrong), str(right)] for name, wrong, right in counts]
    found["wrong.kernels"] = str(sum(wrong for _, wrong, _ in counts))
    found["wrong.right"] = str(sum(right for _, _, right in counts))
    found["wrong.classes"] = str(len(SHOWN))
    found["table:wrong.classes"] = table(
        ["class", "kernels that are wrong", "similar kernels that are right"], rows
    )
    return found


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
    told = f"Inputs `{constants['INPUTS']}`; Warp's gradient `{constants['WARP']}`, the right one"
    return f"```python\n{code}\n```", f"{told} `{constants['RIGHT']}`."
