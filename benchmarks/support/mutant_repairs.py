"""Small faults in how kernels are broken, in how races are seen, and in how host is told from device."""

from __future__ import annotations

from .mutant_table import Mutant

REPAIR = "builds/repair/"
BREAKING = REPAIR + "breaking.py"
BROKEN = ("tests/builds/test_repair.py",)
RACING = ("tests/judge/test_racing.py", "tests/language/analysis/test_in_step.py")
CUDA = "judge/cuda/"
SETTLED = ("tests/judge/cuda/test_settled.py",)
SPACES = ("tests/judge/cuda/test_spaces.py",)
REFUSED = (f"{SPACES[0]}::test_nothing_of_the_host_is_used_on_the_device",)
TAKEN = (f"{SPACES[0]}::test_what_only_looks_like_it_is_right",)
INTERPRETER = "language/analysis/interpreter.py"

REPAIRS = [
    Mutant("any refusal will do", BREAKING,
           "any(words in message", "any(words in words", BROKEN),
    Mutant("what is seen in part is enough", BREAKING,
           "if message is None:\n            return None",
           "if message is None:\n            continue", BROKEN),
    Mutant("a mistake that does not show", BREAKING,
           "if message is not None:\n            return", "if True:\n            return", BROKEN),
    Mutant("edits go by characters", REPAIR + "edits.py", "self._bytes = source.encode()",
           "self._bytes = source.encode('latin-1', 'replace')", BROKEN),
    Mutant("all numbers are wrong", REPAIR + "telling.py", "np.asarray(~near)", "np.asarray(near)", BROKEN),
    Mutant("whole numbers are near", REPAIR + "telling.py", 'expected.dtype.kind != "f"', "False", BROKEN),
    Mutant("no answer races", "judge/racing.py", "return True\n    return None\n\n\ndef _may",
           "return False\n    return False\n\n\ndef _may", RACING),
    Mutant("what is read back cannot race", "judge/racing.py",
           "# an output that is read back, too\n        return True",
           "# an output that is read back, too\n        return False", RACING),
    Mutant("threads in step go in turn", INTERPRETER, "Run(program, sets, memory).whole()",
           "memory, outputs = {}, interpret(program, inputs, sets)", RACING),
    Mutant("a text is settled by its directives", CUDA + "settled.py",
           "_DIRECTIVE.search(text) is None and", "_DIRECTIVE.search(text) is None or", SETTLED),
    Mutant("a pointer to constants is one", CUDA + "settled.py", "(?![^=]*[*&<]|.*,\\s*[*&])", "", SETTLED),
    Mutant("types in functions have none of the host's", CUDA + "settled.py",
           "return body is None or _TYPE_WORD.search(body) is None", "return True", SETTLED),
    Mutant("notes on candidates are not read", CUDA + "spaces.py", "_NOTE.search(line)) and error",
           "_NOTE.search(line)) and not error", SPACES),
    Mutant("constant functions are for both", "judge/referee.py",
           "or spaces.also_run(lines, ended.said)", "", REFUSED),
    Mutant("constant functions are the host's in constants too", "judge/referee.py",
           "or spaces.also_run(lines, ended.said)", "or lines", TAKEN),
    Mutant("a text may tell how it is compiled", "compilers/plain.py",
           "#undef __CUDA__\n#undef __CUDA_ARCH__\n", "", REFUSED),
]  # fmt: skip
