"""Models, and how they are checked."""

import os
from dataclasses import dataclass
from typing import Callable, Dict, Iterable, List, Mapping, Optional, Union

from . import _native
from ._result import Progress, Result

Path = Union[str, "os.PathLike[str]"]


def read(
    path: Path, *, data_model: Optional[str] = None, function: Optional[str] = None
) -> "Model":
    """Read a model or a program.

    A file whose name ends in ``.c`` or ``.i`` is a C program, ``.bpl`` is Boogie and ``.smt2`` Horn
    clauses. Any other file is AIGER or BTOR2, and its content decides which.

    ``data_model`` (``"ilp32"`` or ``"lp64"``) and ``function`` say how a program is read.

    >>> pedra.read("models/fifo.btor2")
    <pedra.Model models/fifo.btor2: BTOR2, 3 properties>

    A mistake in a file is told with its line, its column and a hint:

    >>> pedra.read("crates/cli/tests/bad/header.aag")
    Traceback (most recent call last):
        ...
    pedra.InputError: crates/cli/tests/bad/header.aag:1:...
    """
    return Model(path, _native.Model.read(path, data_model, function))


@dataclass(frozen=True)
class Property:
    """A property of a model: that its bad signal is never true, or its error never reached."""

    #: Counted from 0, as in ``b0``.
    index: int
    #: Its name in the model.
    name: Optional[str]
    #: Where it stands.
    file: str
    #: The line there, from 1.
    line: int


class Model:
    """A model that was read by :func:`read`."""

    def __init__(self, path: Path, native: _native.Model) -> None:
        self._native = native
        #: Where it came from.
        self.path: str = os.fspath(path)

    def __repr__(self) -> str:
        count = len(self.properties)
        word = "property" if count == 1 else "properties"
        return f"<pedra.Model {self.path}: {self.format}, {count} {word}>"

    @property
    def format(self) -> str:
        """``AIGER``, ``BTOR2``, ``C``, ``Boogie`` or ``Horn clauses``."""
        return self._native.format()

    @property
    def properties(self) -> List[Property]:
        """The safety properties.

        >>> model = pedra.read("models/fifo.btor2")
        >>> model.properties[2].name
        'full'
        """
        return [Property(*parts) for parts in self._native.properties()]

    def check(
        self,
        engine: str = "auto",
        *,
        properties: Iterable[Union[str, int]] = (),
        timeout: Optional[float] = None,
        depth: Optional[int] = None,
        threads: int = 1,
        seed: int = 0,
        options: Optional[Mapping[str, object]] = None,
        on_result: Optional[Callable[[Result], None]] = None,
        on_progress: Optional[Callable[[Progress], None]] = None,
    ) -> List[Result]:
        """Decide properties, and give a result for each, in their order.

        :param engine: the engine, as ``pedra check --engine`` names it
        :param properties: names or numbers; without any, all are decided. Of a C program also kinds
            of undefined behaviour, for example ``"overflow"``
        :param timeout: seconds, after which what is open is unknown
        :param depth: go no deeper than this step
        :param threads: how many threads engines may use
        :param seed: one thread and one seed give one run
        :param options: options of engines, for example ``{"pdr.ctg": 1}``
        :param on_result: called with each result when it is there
        :param on_progress: called when an engine goes deeper

        Other Python threads run meanwhile. Ctrl-C stops the engines and raises
        ``KeyboardInterrupt``; so does an exception of a callback.

        >>> model = pedra.read("models/counter_overflow.aag")
        >>> [result] = model.check("bmc", depth=5)
        >>> result.verdict, result.reason, result.safe_until
        ('unknown', 'depth limit reached', 5)
        >>> model.check("bmc", options={"pdr.ctg": 1})
        Traceback (most recent call last):
            ...
        pedra.InputError: -o pdr.ctg: engine bmc does not read it; it is for --engine pdr
        """
        words = [f"--engine={engine}", f"--threads={threads}", f"--seed={seed}"]
        words += [_property(name) for name in properties]
        if depth is not None:
            words.append(f"--depth={depth}")
        for name, value in (options or {}).items():
            words += ["-o", f"{name}={_value(value)}"]
        names: Dict[int, Optional[str]] = {p.index: p.name for p in self.properties}
        results: List[Result] = []

        def hear(told: "Union[_native.Answer, _native.Depth]") -> None:
            if isinstance(told, tuple):
                if on_progress is not None:
                    on_progress(Progress(*told))
                return
            result = Result(told, names.get(told.index))
            results.append(result)
            if on_result is not None:
                on_result(result)

        self._native.check(words, timeout, on_progress is not None, hear)
        return sorted(results, key=lambda result: result.index)


def _property(name: Union[str, int]) -> str:
    option = "--property-number" if isinstance(name, int) else "--property"
    return f"{option}={name}"


def _value(value: object) -> object:
    if isinstance(value, bool):
        return "on" if value else "off"
    return value
