"""Judges one answer to a row: runs in the judge's own process, which holds the expected outputs.

Answers run elsewhere, in the sandbox (`cage`); this process reads only the numbers that they leave in shared
pages.
"""

from __future__ import annotations

import functools
import os
import re
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np

from ..common.errors import Failure
from ..compilers import plain, warp, warp_text
from ..language.cuda.refusals import NoPlainForm
from ..language.cuda.render import PlainCuda, render
from ..machine.check import Placed
from ..machine.macros import Refused
from ..proof import verify
from ..proof.run import Result
from ..proof.subject import Arrays
from . import candidate, gate
from .answers import LONGEST, LONGEST_PYTHON, Answer, code_of, config_of
from .answers import wanted as wanted_of
from .cage.cage import Cage, kept_cage
from .cage.job import Call, Ended, Job, Limits, Short, Source, Translated, is_short
from .candidate import Candidate
from .cuda import of_warp, refusals, spellings
from .cuda import plain as plain_answers
from .cuda.plain import Asked
from .hidden import Expected, expect
from .launches import Launcher
from .pages import Pages, Spoiled
from .python import module, tiles
from .question import Question, Unsupported, question_of
from .scales import draw_grids
from .verdict import FEEDBACK, SHORT_OF, Status, Verdict, unavailable

KEPT = 32  # questions, whose answers come in groups


@dataclass(frozen=True)
class Prepared:
    """A question with everything that its answers share."""

    question: Question
    expected: Expected
    pages: Pages
    plain: Asked | None  # where the answer is plain CUDA
    launches: tuple[Placed, ...] = ()  # where it is CUDA as Warp generates it, or Python
    racing: bool = False  # threads may, as they do in the row's own code

    @staticmethod
    def of(question: Question, expected: Expected, rendered: PlainCuda | None, seed: str = "") -> Prepared:
        """With pages for what is expected; `seed` is that of the grids of CUDA."""
        signature, own = question.signature, expected.translation
        layout = expected.arguments if rendered is None else plain.arguments(signature)
        tid_dims = own.tid_dims if rendered is None else len(signature.launch_dim)
        gradients = expected.output_gradients, expected.starts
        grids = partial(draw_grids, text=f"{question.id}/judge/{seed}")
        pages = Pages(expected.signatures, layout, tid_dims, expected.inputs, *gradients, grids)
        asked = None if rendered is None else Asked.of(rendered, signature, pages)
        prepared = Prepared(question, expected, pages, asked)
        on_machine = (question.config.cuda or question.config.python) and asked is None
        return prepared.launched(racing=question.program is None) if on_machine else prepared

    def launched(self, *, racing: bool) -> Prepared:
        """The same for the machine. Threads of kernels that people wrote may be `racing`."""
        cuda = self.question.config.cuda
        launches = of_warp.launches_of(self.pages, cuda=cuda, racing=racing)
        return replace(self, launches=launches, racing=racing)


def judge_some(
    items: Sequence[Answer], allow_weaker: str, without: str, notify: Callable[[int], None]
) -> list[Verdict]:
    """A verdict for each answer: the function of a `Task`, whose arguments are text. Raises `UserError`."""
    try:
        referee = kept_referee(bool(allow_weaker), tuple(filter(None, without.split(","))))
    except OSError as error:
        if not is_short(error):
            raise
        return [unavailable(item.seed) for item in items]
    verdicts = []
    for index, item in enumerate(items):
        notify(index)
        verdicts.append(referee.judge(item))
    return verdicts


_referees: dict[tuple[bool, tuple[str, ...]], Referee] = {}


def kept_referee(allow_weaker: bool = False, without: tuple[str, ...] = ()) -> Referee:
    """The one of this process, which is kept. Raises `UserError` where a wall of the sandbox is missing."""
    key = (allow_weaker, without)
    if key not in _referees:
        _referees[key] = Referee(kept_cage(allow_weaker, without))
    return _referees[key]


def _prepared(question: Question, seed: str) -> Prepared:
    """Raises `Unsupported`."""
    rendered = None
    if question.config.plain:
        if question.program is None:
            raise Unsupported("the row's own kernel has no tree to be written as plain CUDA")
        try:
            rendered = render(question.program)
        except NoPlainForm as error:
            raise Unsupported(f"the row's own kernel has no plain form: {error}") from error
    try:
        return Prepared.of(question, expect(question, seed), rendered, seed)
    except Refused as error:  # of what stands before answers
        raise Unsupported(f"the machine does not take what its prompt declares: {error}") from error


class Referee:
    """Judges answers one after the other with a cage of its own."""

    def __init__(self, cage: Cage, limits: Limits | None = None) -> None:
        self._cage = cage
        self._launcher = Launcher(cage)
        self._limits = limits or Limits()
        self._prepared: OrderedDict[tuple[str, str, str], Prepared | Unsupported] = OrderedDict()

    def judge(self, answer: Answer) -> Verdict:
        """Raises `UserError` for what is no row or no answer."""
        config = config_of(answer.row, answer.config)
        try:
            prepared = self.prepare(question_of(answer.row, config), answer.drawn_by)
        except Unsupported as error:
            return Verdict(Status.UNSUPPORTED, str(error), answer.seed)
        except Exception as error:
            if not (isinstance(error, Short) or is_short(error)):
                raise
            return unavailable(answer.seed)
        code = own_code(prepared) if answer.own else _code(prepared.question, answer)
        status, told = self._fairly(prepared, code) or (Status.UNAVAILABLE, SHORT_OF)
        return Verdict(status, told[:FEEDBACK], answer.seed)

    def _fairly(self, prepared: Prepared, code: str) -> tuple[Status, str] | None:
        """What becomes of an answer, as `_decide` tells it. Where this machine may have been short of
        processes or memory, the row's own code runs next, within the same limits: None if that fails as well,
        or if there is no process for the answer once more."""
        found = self._tried(lambda: self._decide(prepared, code))
        if not isinstance(found, Exception) and found[0] is not Status.MEMORY:
            return found
        own = self._tried(lambda: self.repeat(prepared, own_code(prepared)))
        if isinstance(own, Exception) or own[0] is not Status.CORRECT:
            return None
        if not isinstance(found, Exception):
            return found
        again = self._tried(lambda: self._decide(prepared, code))
        if isinstance(again, Short) and again.lost:
            return Status.CRASH, "the sandbox ended over the answer, and not over the row's own code"
        if isinstance(again, MemoryError):
            return _ENDS["memory", False]
        return None if isinstance(again, Exception) else again

    @staticmethod
    def _tried(decide: Callable[[], tuple[Status, str]]) -> tuple[Status, str] | Exception:
        """What is decided, or the error that says that this machine is short of something."""
        try:
            return decide()
        except Exception as error:
            if isinstance(error, Short) or is_short(error):
                return error
            raise

    def prepare(self, question: Question, seed: str) -> Prepared:
        """What all answers to a question share, which is kept; `seed` is an answer's `drawn_by`. Raises
        `Unsupported`."""
        key = (*question.key, seed)
        if key not in self._prepared:
            try:
                self._prepared[key] = self._as_its_own(_prepared(question, seed))
            except Unsupported as error:
                self._prepared[key] = error
            while len(self._prepared) > KEPT:
                self._prepared.popitem(last=False)
        self._prepared.move_to_end(key)
        found = self._prepared[key]
        if isinstance(found, Unsupported):
            raise found
        return found

    def _as_its_own(self, prepared: Prepared) -> Prepared:
        """A kernel that somebody wrote may race by itself, as one for a single thread does at other sizes: no
        races are looked for then."""
        if prepared.question.drawn or not prepared.launches or prepared.racing:
            return prepared
        own = self.repeat(prepared, own_code(prepared))
        return prepared.launched(racing=True) if own[0] is Status.WRONG_OUTPUT else prepared

    def _decide(self, prepared: Prepared, code: str) -> tuple[Status, str]:
        config = prepared.question.config
        try:
            code.encode()
        except UnicodeEncodeError:
            return Status.COMPILE_ERROR, "the answer is no text that UTF-8 can hold"
        longest = LONGEST_PYTHON if config.python else LONGEST
        if len(code) > longest:
            return Status.FORBIDDEN, f"the answer has more than {longest:,} characters of code"
        if not config.python:  # what ends a line, and a comment, for clang
            code = code.replace("\r\n", "\n").replace("\r", "\n")
            code = spellings.without_headers(code)
        if config.cuda:
            code = spellings.without_unrolling(code)
        if prepared.plain is not None:
            return self._launched(prepared, prepared.plain, code)
        if not code.strip():
            return Status.EMPTY, "there is no code in the answer"
        made = self._made(prepared, code)
        if isinstance(made, tuple):
            return made
        status, told = self._held(prepared, made)
        # Of a text that the answer's module had a hand in.
        is_quoted = config.python and status is Status.COMPILE_ERROR
        return status, quoted(told, code) if is_quoted else told

    def _launched(self, prepared: Prepared, asked: Asked, code: str) -> tuple[Status, str]:
        """What an answer in plain CUDA leaves on the machine, held against what is expected, unless it breaks
        a rule of CUDA's."""
        return _decided(partial(plain_answers.ran, self._launcher, asked, code), prepared.expected)

    def _on_machine(self, prepared: Prepared, made: Candidate) -> tuple[Status, str]:
        """The same for a text that Warp generates."""
        pages, launches, racing = prepared.pages, prepared.launches, prepared.racing
        run = partial(of_warp.ran, self._launcher, pages, launches, made, racing=racing)
        return _decided(run, prepared.expected, made.token)

    def repeat(self, prepared: Prepared, code: str) -> tuple[Status, str]:
        """Whether a row's own code gives, in the sandbox, what is expected."""
        if prepared.plain is not None:
            return self._launched(prepared, prepared.plain, code)
        made = self._made(prepared, code)
        return made if isinstance(made, tuple) else self._held(prepared, made)

    def _made(self, prepared: Prepared, code: str) -> Candidate | tuple[Status, str]:
        """What is compiled of an answer; or why nothing is."""
        config = prepared.question.config
        if config.python:
            return self._translate(prepared, code)
        if (what := gate.forbidden(code)) is not None:
            if _PYTHON.search(code):
                return Status.FORBIDDEN, f"the answer is Python, and {config.name} asks for C++"
            return Status.FORBIDDEN, f"the answer has {what} in it, which no answer may have"
        if (word := gate.reserved(code)) is not None:
            return Status.FORBIDDEN, f"the answer has {word} in it, which is none of CUDA's names"
        if (why := self._refused(prepared, code)) is not None:
            return Status.COMPILE_ERROR, why
        return candidate.native(code, config, prepared.expected.translation)

    def _held(self, prepared: Prepared, found: Candidate) -> tuple[Status, str]:
        """What a candidate leaves, held against what is expected."""
        if prepared.launches:
            return self._on_machine(prepared, found)
        pages = prepared.pages
        descriptor = pages.file()
        try:
            ended = self._cage.run(self._job(prepared, found), descriptor)
            if (failed := _failed(ended, found.token)) is not None:
                return failed
            results = pages.left(descriptor)
        except Spoiled:
            return Status.WRONG_OUTPUT, "the kernel writes to memory beside its arrays"
        finally:
            os.close(descriptor)
        return compared(results, prepared.expected)

    def _refused(self, prepared: Prepared, code: str) -> str | None:
        """The reason why a CUDA compiler would refuse the code; None if it would not."""
        if not prepared.question.config.cuda:
            return None
        return refusals.refused(code, prepared.expected.translation.cuda_kernels)

    def _translate(self, prepared: Prepared, code: str) -> Candidate | tuple[Status, str]:
        """What an answer in Python is once it is C++: a text like any other that a model wrote."""
        signature = prepared.question.signature
        try:
            source = module.allowed(code, signature.name)
        except module.NotPython as error:
            return Status.COMPILE_ERROR, str(error)
        except module.Forbidden as error:
            return Status.FORBIDDEN, f"the answer has {error} in it, which no answer may have"
        made = self._cage.translate(Source(source, signature.name, self._limits))
        if isinstance(made, Ended):
            failed = _failed(replace(made, said=quoted(made.said, code)))
            assert failed is not None  # else there would be a text
            return failed
        if (refused := _refused_text(made)) is not None:
            return refused[0], quoted(refused[1], code)
        size = len(prepared.pages.image)
        return candidate.translated(made, prepared.expected.translation, prepared.pages.base, size)

    def _job(self, prepared: Prepared, found: Candidate) -> Job:
        calls = tuple(Call(found.forward, case.forward) for case in prepared.pages.cases)
        return Job(found.unit, prepared.pages.segments, calls, self._limits, alone=True)


_PYTHON = re.compile(r"^import warp\b|^@wp\.", re.MULTILINE)


def own_code(prepared: Prepared) -> str:
    """The row's own code, in the language that is asked for."""
    config, own = prepared.question.config, prepared.expected.translation
    if prepared.plain is not None:
        return prepared.plain.rendered.completion
    if config.python:
        return prepared.question.source
    code = own.cuda if config.cuda else own.cpu
    assert code is not None  # it was asked for
    return code


def _code(question: Question, answer: Answer) -> str:
    return code_of(answer.text, wanted_of(question.config, question.signature.name))


_OF_TEXTS = (
    "what Warp makes of the answer",
    "the answer has a quote in a string, which Warp does not take",
)


def _refused_text(made: Translated) -> tuple[Status, str] | None:
    """Why what Warp makes of an answer is not compiled; None if it is."""
    if (what := gate.forbidden(made.text)) is not None:
        return Status.FORBIDDEN, f"{_OF_TEXTS[0]} has {what} in it"
    if (name := gate.ours(made.text)) is not None:
        return Status.FORBIDDEN, f"{_OF_TEXTS[0]} has {name} in it"
    if warp_text.leaves_its_text(made.text):
        return Status.FORBIDDEN, _OF_TEXTS[1]
    if (why := tiles.unseen(made.text)) is not None:
        return Status.COMPILE_ERROR, why
    return None


# Where files of this machine are, which is nothing that a model need see.
_PATH = re.compile(r"(?<![\w./])/(?:[\w.+@-]+/)+(?P<name>[\w.+@-]*)")
_NUMBER = re.compile(r"[0-9]{1,3}")  # a type's size, or a line
# What clang says before the line that `cuda_on_cpu` has it say of what is no kernel.
_ASSERTED = re.compile(r"^static assertion failed.*'.*': (?=\w+ is not defined as __global__)")

_ENDS = {
    ("crash", True): (Status.CRASH, "the kernel crashed: it leaves its arrays, or does what is forbidden"),
    ("crash", False): (Status.CRASH, "the compiler crashed on the answer, or its module ended the process"),
    ("timeout", True): (Status.TIMEOUT, "the kernel did not end in time"),
    ("timeout", False): (Status.TIMEOUT, "the compilation did not end in time"),
    ("memory", True): (Status.MEMORY, "the kernel takes too much memory"),
    ("memory", False): (Status.MEMORY, "the compilation takes too much memory"),
}  # fmt: skip


@functools.cache
def _own_words() -> frozenset[str]:
    """The words of what the judge says of a text that Warp wrote."""
    texts = (Path(str(each.__file__)).read_text(encoding="utf-8") for each in (gate, tiles))
    return frozenset(word for text in (*texts, *_OF_TEXTS) for word in re.findall(r"\w+", text))


def quoted(said: str, code: str) -> str:
    """What a process says in which an answer is executed: words of Warp's, and of the answer's own text. What
    else is in it the answer has computed."""
    known = warp.words() | _own_words() | {*re.findall(r"\w+", code)}
    return re.sub(
        r"\w+", lambda word: word[0] if word[0] in known or _NUMBER.fullmatch(word[0]) else "...", said
    )


def _failed(ended: Ended, token: str = "") -> tuple[Status, str] | None:
    """What is wrong with an answer by how its process ended. That it ended well says nothing."""
    if ended.end == "refused":
        said = _PATH.sub(r"\g<name>", _ASSERTED.sub("", ended.said))
        return Status.COMPILE_ERROR, said.replace(token, "") if token else said
    if ended.end == "ran":
        return None
    return _ENDS[ended.end, ended.loaded]


def _decided(
    run: Callable[[], list[Result] | tuple[Status, str] | Ended], expected: Expected, token: str = ""
) -> tuple[Status, str]:
    """What an answer leaves on the machine, held against what is expected, unless it ended otherwise."""
    try:
        found = run()
    except Failure as error:
        return Status.UNAVAILABLE, str(error)
    if isinstance(found, Ended):
        failed = _failed(found, token)
        assert failed is not None  # one that ended well is looked at
        return failed
    return found if isinstance(found, tuple) else compared(found, expected)


# Of a number that a gradient held before, what may be lost: with each addition a rounding. So many units in
# the last place, and so many times what Warp's own adjoint loses, which adds as often; at most an eighth, and
# where terms that cancel leave less of it, as much as there.
_UNITS, _TIMES, _MOST_LOST = 16, 8, 0.125


def compared(results: Sequence[Result], expected: Expected) -> tuple[Status, str]:
    """`results` are those of all cases of `Pages`, in their order."""
    every = range(len(expected.results))
    started = [number for number, start in enumerate(expected.starts) if start]
    forward_alone = every if expected.output_gradients else ()
    runs = [*zip([*every, *started, *forward_alone], results, strict=True)]
    for number, found in runs:
        how = expected.unordered, expected.together, expected.exchanging[number]
        distances = expected.distances[number].outputs
        unequal = verify.compare(found.outputs, expected.results[number].outputs, *how, distances).unequal
        if unequal is not None:
            return _told(Status.WRONG_OUTPUT, "output", unequal, found.outputs)
    for found, wanted, distances in zip(results, expected.results, expected.distances, strict=False):
        # Sums of what threads add, which may cancel: another order of them is off by more than outputs are.
        unequal = verify.compare(
            found.gradients, wanted.gradients, distances=distances.gradients, margin=verify.MARGIN
        ).unequal
        if unequal is not None:
            return _told(Status.WRONG_GRADIENT, "gradient", unequal, found.gradients)
    for number, found in zip(started, results[len(every) :], strict=False):
        lost = _lost(expected.results[number].gradients, expected.starts[number], expected.held[number])
        unequal = _not_added(results[number].gradients, expected.starts[number], found.gradients, lost)
        if unequal is not None:
            told = f"the gradient {unequal} is not what its array held before, and the gradient added to it"
            return Status.WRONG_GRADIENT, told
    for number, found in runs:
        left = expected.results[number].arrived
        spoiled = _spoiled(found.arrived, expected.output_gradients[number], left) if left else None
        if spoiled is not None:
            told = f"the gradient that arrives at {spoiled} is not left as it arrived, or as Warp leaves it"
            return Status.WRONG_GRADIENT, told
    return Status.CORRECT, "all outputs are right on all hidden inputs"


def _lost(gradients: Arrays, starts: Arrays, held: Arrays) -> dict[str, np.ndarray]:
    """How much of what an array held before may be lost there. `gradients` are the right ones, where arrays
    held nothing, and `held` is what the right adjoint leaves."""
    found = {}
    for name, start in starts.items():
        before = start.astype(np.float64)
        gradient = gradients[name].astype(np.float64)
        size = np.abs(before) + np.abs(gradient)
        own = np.abs(held[name] - (before + gradient))
        share = (own / np.where(size > 0, size, 1.0)).max(initial=0.0)
        unit = float(np.finfo(start.dtype).eps)
        found[name] = np.maximum(min(_UNITS * unit + _TIMES * float(share), _MOST_LOST) * np.abs(before), own)
    return found


def _not_added(
    gradients: Arrays, starts: Arrays, found: Arrays, lost: Mapping[str, np.ndarray]
) -> str | None:
    """The first array that does not hold what it held before and the gradient; None if all do. `gradients`
    are the same answer's, where arrays held nothing; of what was there so much may be `lost`."""
    for name, gradient in gradients.items():
        exact = gradient.astype(np.float64)
        start = starts.get(name, np.zeros_like(gradient)).astype(np.float64)
        size = np.abs(exact) + np.abs(exact).max(initial=0.0)
        limit = lost.get(name, 0.0) + verify.VISIBLE[gradient.dtype.name] * size
        with np.errstate(invalid="ignore"):
            if not (np.abs(found[name] - (start + exact)) <= limit).all():
                return name
    return None


def _spoiled(found: Arrays, arrived: Arrays, left: Arrays) -> str | None:
    """The first array of arriving gradients that holds anything but what `arrived` there, or what the right
    adjoint `left`; None if none does. Warp sets to zero what is handed on, which other adjoints need not."""
    for name, array in found.items():
        if not ((array == arrived[name]) | (array == left[name])).all():
            return name
    return None


def _told(status: Status, what: str, name: str, arrays: Arrays) -> tuple[Status, str]:
    if arrays[name].dtype.kind == "f" and not np.isfinite(arrays[name]).all():
        return Status.NOT_FINITE, f"the {what} {name} is not finite on a hidden input"
    return status, f"the {what} {name} is wrong on a hidden input"
