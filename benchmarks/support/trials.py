"""Whether tests notice a mutant.

1. The tests of a package run once under coverage, which says which of them reach which lines of code, in
   pytest's own process.
2. For each mutant a process is forked from one that has collected the tests. It replaces the code of the
   mutated function and runs the tests that reach it, quickest first, until one fails; together they may take
   only so many seconds. For a mutant of what runs at import the package is imported anew, and the tests are
   those that reach anything in its file.

This happens in copies of the project, one for each worker, where the file is the mutant's meanwhile, so that
processes that tests start run it too. What a test caches for later ones counts as reached by that test alone.
"""

from __future__ import annotations

import gc
import json
import os
import resource
import shutil
import signal
import sys
import tempfile
import traceback
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any, NamedTuple

import coverage
import pytest

from .mutations import PROJECT, Mutant

# The tests without a mark: no process, no port, no compiler.
TIER = ("-m", "not (process or compile or folder or slow or long or nightly or hub or gpu)")
PYTEST = ("-q", "-o", "addopts=", "-p", "no:cacheprovider", "-p", "no:xdist", "--hypothesis-seed=0")
NOT_COPIED = (".git", "outputs", ".hypothesis", ".mypy_cache", ".ruff_cache", ".pytest_cache")
MEMORY = 8 << 30
FUNCTION = 1  # a flag of code objects: neither a module's nor a class's
SURVIVED, KILLED, MISFIT, UNREACHED = "survived", "killed", "does not fit", "not reached"
STATUS = {0: SURVIVED, 3: MISFIT}  # what a forked process exits with
Place = tuple[str, int, str, bytes]  # where a function's code stands


@dataclass(frozen=True)
class Request:
    root: Path
    home: Path  # for temporary files
    package: str
    tier: Sequence[str]
    seconds: float
    processes: int

    @property
    def arguments(self) -> list[str]:
        return [*PYTEST, *self.tier]

    @property
    def tests(self) -> str:
        folder = f"tests/{self.package}"
        return folder if (self.root / folder).is_dir() else "tests/project"


class Reached(NamedTuple):
    """The tests for a mutant, whether it changes what runs at import, and the seconds that the tests need."""

    tests: list[str]
    imported: bool
    seconds: float


def verdicts(request: Request, mutants: Sequence[Mutant]) -> list[str]:
    """What becomes of each mutant."""
    workers = [Worker(request, mutants, number) for number in range(request.processes)]
    reached = _forked(request.home, workers[0].reach)()
    for worker in workers:
        worker.reached = [Reached(*each) for each in reached]
    results = [_forked(request.home, worker.work) for worker in workers]
    found = dict(pair for wait in results for pair in wait())
    return [found[number] for number in range(len(mutants))]


def _forked(home: Path, function: Callable[[], Any]) -> Callable[[], Any]:
    """Starts a function in a process of its own; what is returned waits for its result."""
    handle, name = tempfile.mkstemp(dir=home)
    os.close(handle)
    child = os.fork()
    if not child:
        try:
            Path(name).write_text(json.dumps([function()]))
        except BaseException:
            Path(name).write_text(json.dumps(traceback.format_exc()))
        finally:
            os._exit(0)

    def wait() -> Any:
        os.waitpid(child, 0)
        result = json.loads(Path(name).read_text() or '"a process was killed"')
        if isinstance(result, str):
            raise SystemExit(result)
        return result[0]

    return wait


class Worker:
    """Tries its share of the mutants in its own copy of the project."""

    def __init__(self, request: Request, mutants: Sequence[Mutant], number: int) -> None:
        self.request, self.mutants = request, mutants
        self.copy, self.scratch = request.home / f"project{number}", request.home / f"tmp{number}"
        self.numbers = range(number, len(mutants), request.processes)
        self.reached: list[Reached] = []
        self.found: dict[int, str] = {}

    def enter(self) -> None:
        if not self.copy.exists():
            shutil.copytree(self.request.root, self.copy, ignore=shutil.ignore_patterns(*NOT_COPIED))
        self.scratch.mkdir(exist_ok=True)
        os.chdir(self.copy)
        sys.path.insert(0, str(self.copy))
        os.environ.update(PYTHONPATH=str(self.copy), TMPDIR=str(self.scratch))
        tempfile.tempdir = str(self.scratch)
        silence = os.open(os.devnull, os.O_WRONLY)
        for stream in (1, 2):
            os.dup2(silence, stream)

    def reach(self) -> list[Reached]:
        self.enter()
        plugin = Reach(self.copy)
        plugin.coverage.start()
        pytest.main([*self.request.arguments, self.request.tests], plugins=[plugin])
        plugin.coverage.stop()
        if not plugin.seconds:
            raise AssertionError(f"no test in {self.request.tests} passes without any mutant")
        return [plugin.tests(self.copy, mutant, self.request.seconds) for mutant in self.mutants]

    def work(self) -> list[tuple[int, str]]:
        self.enter()
        self.found.update((number, UNREACHED) for number in self.numbers if not self.reached[number].tests)
        self.found.update(_forked(self.request.home, self.collected)())
        for number in self.numbers:
            if self.found.get(number, MISFIT) == MISFIT:
                self.attempt(number, self.imported)
        return [*self.found.items()]

    def collected(self) -> list[tuple[int, str]]:
        pytest.main([*self.request.arguments, self.request.tests], plugins=[Trials(self)])
        return [*self.found.items()]

    def imported(self, number: int) -> int:
        tests = self.reached[number].tests
        files = sorted({test.split("::")[0] for test in tests})
        status = pytest.main([*self.request.arguments, *files], plugins=[Stop(tests)])
        return int(status not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED))

    def attempt(self, number: int, run: Callable[[int], int]) -> None:
        mutant, file = self.mutants[number], self.copy / self.mutants[number].path
        file.write_text(mutant.text)
        os.utime(file, (number, number))  # compiled files are told from stale ones by this and their size
        child = os.fork()
        if not child:
            status = 1
            try:
                os.setsid()
                sys.dont_write_bytecode = True
                os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
                patience = int(10 * self.reached[number].seconds + 20)
                resource.setrlimit(resource.RLIMIT_CPU, (patience, patience))
                resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
                signal.alarm(2 * patience)
                status = run(number)
            finally:
                os._exit(status)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        with suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)
        shutil.copy2(self.request.root / mutant.path, file)
        for left in self.scratch.iterdir():
            shutil.rmtree(left, ignore_errors=True)
        self.found[number] = STATUS.get(status, KILLED)


class Reach:
    """A plugin of pytest: which tests reach which lines, and the CPU seconds of each."""

    def __init__(self, root: Path) -> None:
        self.coverage = coverage.Coverage(data_file=None, config_file=False, include=[f"{root}/{PROJECT}/*"])
        self.seconds: dict[str, float] = {}  # of those that pass
        self.users: dict[str, list[str]] = defaultdict(list)  # the tests in which a context counts
        self.context = ""

    @contextmanager
    def within(self, context: str) -> Iterator[None]:
        outer, self.context = self.context, context
        self.coverage.switch_context(context)
        try:
            yield
        finally:
            self.context = outer
            self.coverage.switch_context(outer)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[Any]:
        begun = sum(os.times()[:4])
        self.seconds[item.nodeid] = 0.0
        with self.within(item.nodeid):
            result = yield
        if item.nodeid in self.seconds:
            self.seconds[item.nodeid] = sum(os.times()[:4]) - begun
            for name in (item.nodeid, *(f"fixture {name}" for name in getattr(item, "fixturenames", ()))):
                self.users[name].append(item.nodeid)
        return result

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: Any) -> Iterator[Any]:
        with self.within(f"fixture {fixturedef.argname}"):  # what it reaches, all its tests reach
            return (yield)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if not report.passed:
            self.seconds.pop(report.nodeid, None)

    def tests(self, root: Path, mutant: Mutant, seconds: float) -> Reached:
        contexts = self.coverage.get_data().contexts_by_lineno(str(root / mutant.path))
        here = {context for line in mutant.lines for context in contexts.get(line, ())}
        found = self._in(here)
        imported = not found and "" in here
        if imported:
            found = self._in(context for line in contexts.values() for context in line)
        chosen: list[str] = []
        together = 0.0
        for test in sorted(found, key=lambda test: (self.seconds[test], test)):
            if not chosen or together + self.seconds[test] <= seconds:
                chosen.append(test)
                together += self.seconds[test]
        return Reached(chosen, imported, together)

    def _in(self, contexts: Any) -> set[str]:
        return {test for context in contexts for test in self.users.get(context, ())}


class Stop:
    """A plugin of pytest: runs some tests, and ends the process as soon as one fails."""

    def __init__(self, tests: Sequence[str]) -> None:
        self.tests = {*tests}

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = [item for item in items if item.nodeid in self.tests]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            os._exit(1)

    pytest_collectreport = pytest_runtest_logreport


class Trials:
    """A plugin of pytest: tries mutants instead of running the tests that are collected."""

    def __init__(self, worker: Worker) -> None:
        self.worker = worker

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        worker = self.worker
        items = {item.nodeid: item for item in session.items}
        session.config.pluginmanager.register(Stop(()))
        loaded = {getattr(module, "__file__", None) for module in [*sys.modules.values()]}
        functions = Functions(loaded)
        gc.freeze()

        def run(number: int) -> int:
            mutant = worker.mutants[number]
            file, original = worker.copy / mutant.path, worker.request.root / mutant.path
            if str(file) in loaded and not functions.replace(str(file), original.read_text(), mutant.text):
                return 3
            chosen = [items[test] for test in worker.reached[number].tests if test in items]
            for item, after in zip(chosen, [*chosen[1:], None], strict=True):
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=after)
            return 0

        for number in worker.numbers:
            reached = worker.reached[number]
            if reached.tests and not reached.imported:
                worker.attempt(number, run)
        return True


class Functions:
    """The functions of this process, by where their code stands."""

    def __init__(self, files: set[str | None]) -> None:
        self._all: dict[Place, list[FunctionType]] = defaultdict(list)
        for thing in gc.get_objects():
            if isinstance(thing, FunctionType) and thing.__code__.co_filename in files:
                self._all[_place(thing.__code__)].append(thing)

    def replace(self, file: str, old: str, new: str) -> bool:
        """Gives them the code of a new text. False if that changes what runs at import."""
        pairs = [(compile(old, file, "exec"), compile(new, file, "exec"))]
        replaced = False
        for before, after in pairs:  # grows
            if not before.co_flags & FUNCTION and _own(before) != _own(after):
                return False
            for function in self._all.get(_place(before), ()):
                try:
                    function.__code__ = after
                except ValueError:  # it uses other variables of an outer function
                    return False
                replaced = True
            inner = zip(_inner(before), _inner(after), strict=False)
            pairs += [pair for pair in inner if pair[0] != pair[1]]
        return replaced


def _place(code: CodeType) -> Place:
    return code.co_filename, code.co_firstlineno, code.co_name, code.co_linetable


def _inner(code: CodeType) -> list[CodeType]:
    return [part for part in code.co_consts if isinstance(part, CodeType)]


def _own(code: CodeType) -> tuple[bytes, tuple[str, ...], list[str]]:
    constants = [repr(part) for part in code.co_consts if not isinstance(part, CodeType)]
    return code.co_code, code.co_names, constants
