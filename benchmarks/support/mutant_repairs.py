"""Small faults in how kernels are broken, and in the judge: its inputs, its races, its host and device."""

from __future__ import annotations

from .mutant_table import VERIFY, Mutant

REPAIR = "builds/repair/"
BREAKING = REPAIR + "breaking.py"
BROKEN = ("tests/builds/test_repair.py",)
RACING = ("tests/judge/python/test_racing.py", "tests/language/analysis/test_in_step.py")
CUDA = "judge/cuda/"
RACER, WATCHER, TILES, TOGETHER = (
    f"judge/python/{name}.py" for name in ("racing", "watched", "tiles", "together")
)
SETTLED = ("tests/judge/cuda/test_settled.py",)
SPACES = ("tests/judge/cuda/test_spaces.py",)
REFUSED = (f"{SPACES[0]}::test_nothing_of_the_host_is_used_on_the_device",)
TAKEN = (f"{SPACES[0]}::test_what_only_looks_like_it_is_right",)
REFUSALS = ("tests/judge/cuda/test_refusals.py",)
SLOTS = ("tests/judge/test_judged_configs.py::test_only_what_another_order_moves_may_lie_elsewhere",)
ROUNDED = ("tests/language/operations/test_rounding.py",)
RACES = "tests/judge/python/test_racing.py::"
HIDDEN = "tests/judge/test_hidden.py::"
GROUPED = "tests/judge/python/test_together.py::"
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
    Mutant("no answer races", RACER, "return True\n    return None\n\n\ndef _may",
           "return False\n    return False\n\n\ndef _may", RACING),
    Mutant("what is read back cannot race", RACER,
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
    Mutant("results are exact whoever rounds", "language/operations/rounding.py",
           "if row.name in OF_RESULT else", "if not row.name else", ROUNDED),
    Mutant("products that cancel are exact", "language/operations/rounding.py",
           "row.meaning(type, self._operand(type, first, others), *others)", "row.meaning(type, *values)",
           ROUNDED),
    Mutant("what is exact is rounded", "language/operations/rounding.py",
           "np.where(result == result.astype(type.scalar), result, self._off(type, result))",
           "self._off(type, result)", ROUNDED),
    Mutant("what is nearly nothing is nothing", "language/operations/rounding.py",
           "_NEAR = 1e-6", "_NEAR = 0.0", ROUNDED),
    Mutant("what is exact hangs on rounding too", "language/operations/rounding.py", " & (distance > 0)", "",
           ROUNDED),
    Mutant("gradients may hang on other rounding", "proof/agreement.py", "if adjoint and rounding.hangs",
           "if False and rounding.hangs", ROUNDED),
    Mutant("another rounding is not looked at", "proof/agreement.py",
           "error = verify.meaning_agrees(other, case.meaning)",
           "error = verify.meaning_agrees(case.meaning, case.meaning)", ROUNDED),
    Mutant("whole numbers nearly agree", VERIFY, "error = relative_error(outputs[name], expected)",
           "error = relative_error(outputs[name].astype(float), expected.astype(float))", ROUNDED),
    Mutant("hidden inputs may hang on rounding", "judge/hidden.py", ", _error(alike, exact))", ")",
           (f"{HIDDEN}test_few_inputs_are_taken_on_which_another_rounding_decides",)),
    Mutant("threads in step lose nothing", "proof/prove.py", "if racing is not None:", "if False:",
           ("tests/proof/test_orders.py::test_threads_in_step_may_not_lose_what_others_leave",)),
    Mutant("without an index no threads meet", RACER, "return True  # all threads do the same",
           "return False  # all threads do the same",
           (f"{RACES}test_threads_that_all_do_the_same_race",)),
    Mutant("elements may lie anywhere", "judge/referee.py", "expected.exchanging[number]", "{}", SLOTS),
    Mutant("two orders show all that moves", "proof/orders.py", "MORE_ORDERS = 20", "MORE_ORDERS = 0", SLOTS),
    Mutant("tables of the host are the device's", CUDA + "of_host.py",
           "return next(_told(bodies, heads), None)", "return None", REFUSALS),
    Mutant("a block may have one thread", TILES, "sorted(called - allowed)", "[]",
           (f"{RACES}test_what_hangs_on_the_size_of_a_block_is_not_judged",)),
    Mutant("the sum of a block is added anywhere", WATCHER, "if (SUMMED) first(at);", "",
           (f"{RACES}test_the_sum_of_a_block_is_added_in_one_place",)),
    Mutant("nobody comes late", WATCHER, "if (touch[k].looked == now) continue;", "continue;",
           (f"{RACES}test_ways_to_add_are_told_apart",)),
    Mutant("what one added is one's own", WATCHER,
           "if (touch[k].last == now) __builtin_trap();", "",
           (f"{RACES}test_what_atomics_add_is_not_read_beside_them",)),
    Mutant("a kernel may end its process", "judge/hidden.py", "if self._checked and", "if False and",
           (f"{HIDDEN}test_inputs_on_which_a_kernel_ends_its_process_are_not_taken",)),
    Mutant("idle inputs are as good", "judge/hidden.py", "left.sort(", "sorted(left, ",
           (f"{HIDDEN}test_more_are_drawn_until_an_answer_that_does_nothing_is_wrong",)),
    Mutant("gradients are as near as outputs", "judge/referee.py", "margin=verify.MARGIN", "margin=1.0",
           (f"{HIDDEN}test_a_gradient_may_be_summed_in_another_order",)),
    Mutant("gradients may hang on rounding", "judge/hidden.py", "max(run.error, _error(outputs, exact),",
           "max(_error(outputs, exact),",
           (f"{HIDDEN}test_few_inputs_are_taken_on_which_gradients_hang_on_rounding",)),
    Mutant("rounding is a gradient", "judge/pages.py", "_NOTHING * TOLERANCE", "0 * TOLERANCE",
           (f"{HIDDEN}test_the_rounding_of_a_sum_is_no_gradient",)),
    Mutant("a text in an answer is in a unit", TOGETHER, "if spoken or len(", "if len(",
           (f"{GROUPED}test_what_holds_a_string_is_compiled_alone",)),
    Mutant("what is refused is in a unit", TOGETHER, "or refused(text) else", "else",
           (f"{GROUPED}test_what_a_translation_is_refused_for_keeps_it_out",)),
    Mutant("a unit may take its time", TOGETHER, "limits.load_seconds / QUICK", "limits.load_seconds",
           (f"{GROUPED}test_a_unit_takes_no_longer_than_a_part_of_the_time",)),
    Mutant("answers to other inputs share a unit", "judge/referee.py", "elif prepared is not first:",
           "elif False:", (f"{GROUPED}test_of_rows_apart_nothing_is_shared",)),
    Mutant("objects stay open", "judge/referee.py", "self._shared.close()", "pass",
           (f"{GROUPED}test_an_object_is_written_no_more_and_closed",)),
    Mutant("an object may be written", "judge/cage/cage.py",
           "fcntl.fcntl(compiled, fcntl.F_ADD_SEALS, _WRITTEN)", "pass",
           (f"{GROUPED}test_an_object_is_written_no_more_and_closed",)),
]  # fmt: skip
