"""What a check gives: verdicts, and what they rest on."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Dict, List, Literal, Optional

if TYPE_CHECKING:
    from ._native import Answer

#: What became of a property.
Verdict = Literal["proved", "violated", "unknown"]


@dataclass(frozen=True)
class Progress:
    """How far an engine has come."""

    #: Its name.
    engine: str
    #: The step, ``k`` or frame that it turns to.
    depth: int
    #: Lemmas that are in use (PDR).
    lemmas: int
    #: Queries of solvers so far.
    queries: int
    #: Conflicts of solvers so far.
    conflicts: int
    #: Seconds since the check began.
    seconds: float


@dataclass(frozen=True)
class Certificate:
    """A proof in a form that others can check."""

    #: The content of the file.
    data: bytes
    #: Whether it was checked in this form. If not, only the proof was: the queries of SMT-LIB
    #: may be too hard for our own checker.
    is_checked: bool

    def write(self, path: str) -> None:
        """Write it to a file."""
        with open(path, "wb") as file:
            file.write(self.data)


@dataclass(frozen=True)
class Statement:
    """A statement of a program's run."""

    file: str
    line: int
    #: As the source writes it.
    text: str
    #: What it changed, for example ``x = 1, y = 2``.
    changed: str


@dataclass(frozen=True)
class Invariant:
    """What a proof says of a loop."""

    line: int
    #: The head of the loop, as the source writes it.
    head: str
    #: Expressions of the source that all hold there.
    conjuncts: List[str]


class Trace(Dict[str, List[Optional[int]]]):
    """The path to a violation of a model: a value of each signal at each step.

    It is a dictionary of columns, so ``pandas.DataFrame(trace)`` is a table with a row for each
    step. A value is ``None`` if some of its bits do not matter; :attr:`digits` has all bits.

    >>> model = pedra.read("models/counter_overflow.aag")
    >>> [result] = model.check("bmc")
    >>> trace = result.trace
    >>> trace["count"]
    [0, 1, 2, 3, 4, 5, 6, 7]
    >>> trace.digits["enable"][-1]
    'x'
    >>> trace.steps[3]
    {'count_is_seven': 0, 'enable': 1, 'count': 3}
    """

    def __init__(self, answer: "Answer") -> None:
        self._answer = answer
        signals = answer.signals()
        super().__init__((name, [_value(d) for d in digits]) for name, _, _, digits in signals)
        #: The digits of each signal at each step, most significant first; ``x`` does not matter.
        self.digits: Dict[str, List[str]] = {name: digits for name, _, _, digits in signals}
        #: What each signal is: ``bad``, ``input``, ``state``, ``constraint`` or ``wire``.
        self.kinds: Dict[str, str] = {name: kind for name, kind, _, _ in signals}
        #: The signals that the property depends on.
        self.cone: List[str] = [name for name, _, in_cone, _ in signals if in_cone]

    def __repr__(self) -> str:
        return f"<pedra.Trace: {len(self)} signals, {len(self.steps)} steps>"

    @property
    def steps(self) -> List[Dict[str, Optional[int]]]:
        """The values of all signals, step by step."""
        count = len(next(iter(self.values()), []))
        return [{name: column[at] for name, column in self.items()} for at in range(count)]

    def witness(self) -> str:
        """The trace as an AIGER or BTOR2 witness, as the model is."""
        return self._answer.witness() or ""

    def vcd(self) -> bytes:
        """The trace as VCD, for a viewer of waveforms."""
        return bytes(self._answer.vcd() or b"")


class Result:
    """What became of a property.

    *proved* and *violated* were checked before: a trace was replayed on a reference evaluator, and
    a proof was checked with other solvers than the engine used, both on the model as it was read.

    >>> model = pedra.read("models/pipeline.btor2")
    >>> [result] = model.check()
    >>> result
    <pedra.Result b0 third_above_200: proved>
    >>> result.k
    3
    >>> result.certificate("btor2").is_checked
    True
    """

    def __init__(self, answer: "Answer", name: Optional[str]) -> None:
        self._answer = answer
        #: The property, counted from 0.
        self.index: int = answer.index
        #: Its name in the model.
        self.name: Optional[str] = name
        #: The verdict.
        self.verdict: Verdict = answer.verdict  # type: ignore[assignment]
        #: The engine that settled it; for unknown the one that was asked for.
        self.engine: str = answer.engine
        #: Seconds since the check began.
        self.seconds: float = answer.seconds
        k, clauses, trusted = answer.proof() or (None, None, None)
        #: Of a proof: the depth of induction.
        self.k: Optional[int] = k
        #: Of a proof: how many facts it needs beside the property.
        self.clauses: Optional[int] = clauses
        #: Of a proof: what its check took on trust, if anything.
        self.trusted: Optional[str] = trusted
        #: Of a violation: its step, counted from 0.
        self.step: Optional[int] = answer.step()
        reason, safe_until, safe_checked = answer.unknown() or (None, None, None)
        #: Of what is unknown: why.
        self.reason: Optional[str] = reason
        #: Of what is unknown: up to this step there is no violation, as the engine says.
        self.safe_until: Optional[int] = safe_until
        #: The same, as another solver has confirmed it.
        self.safe_checked: Optional[int] = safe_checked

    def __repr__(self) -> str:
        name = f" {self.name}" if self.name else ""
        return f"<pedra.Result b{self.index}{name}: {self.verdict}>"

    @property
    def trace(self) -> Optional[Trace]:
        """The path to a violation of a model; ``None`` if there is none."""
        is_there = self.verdict == "violated" and self._answer.witness() is not None
        return Trace(self._answer) if is_there else None

    @property
    def statements(self) -> List[Statement]:
        """The run to a violation of a program.

        >>> [result] = pedra.read("models/programs/midpoint.c").check()
        >>> result.statements[-1].line, result.statements[-1].text
        (11, 'reach_error()')
        """
        return [Statement(*parts) for parts in self._answer.steps()]

    @property
    def invariants(self) -> List[Invariant]:
        """What the proof about a program says of its loops, as far as C can express it."""
        return [Invariant(*parts) for parts in self._answer.invariants()]

    def certificate(self, form: str) -> Certificate:
        """The proof in a form that others can check.

        ``form`` is ``"aig"`` or ``"aag"`` for AIGER models, ``"btor2"`` or ``"smt2"`` for BTOR2
        models, and ``"smt2"`` for programs.
        """
        made = self._answer.certificate(form)
        if made is None:
            raise ValueError(f"there is no proof: the property is {self.verdict}")
        data, is_checked = made
        return Certificate(bytes(data), is_checked)


def _value(digits: str) -> Optional[int]:
    return None if "x" in digits else int(digits, 2)
