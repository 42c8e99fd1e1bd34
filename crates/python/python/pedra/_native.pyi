"""The part of the package that is not for users; see `crates/python/src`."""

import os
from typing import Callable, List, Optional, Tuple, Union

VERSION: str

class InputError(ValueError):
    """A file or an option is wrong."""

class InternalError(RuntimeError):
    """An answer failed its check: a bug in Pedra. No verdict is given."""

class Answer:
    index: int
    engine: str
    seconds: float
    verdict: str
    def proof(self) -> Optional[Tuple[int, int, Optional[str]]]: ...
    def step(self) -> Optional[int]: ...
    def unknown(self) -> Optional[Tuple[str, Optional[int], Optional[int]]]: ...
    def signals(self) -> List[Tuple[str, str, bool, List[str]]]: ...
    def steps(self) -> List[Tuple[str, int, str, str]]: ...
    def invariants(self) -> List[Tuple[int, str, List[str]]]: ...
    def witness(self) -> Optional[str]: ...
    def vcd(self) -> Optional[bytes]: ...
    def certificate(self, ending: str) -> Optional[Tuple[bytes, bool]]: ...

Depth = Tuple[str, int, int, int, int, float]

class Model:
    @staticmethod
    def read(
        path: Union[str, "os.PathLike[str]"],
        data_model: Optional[str],
        function: Optional[str],
    ) -> "Model": ...
    def format(self) -> str: ...
    def properties(self) -> List[Tuple[int, Optional[str], str, int]]: ...
    def check(
        self,
        words: List[str],
        timeout: Optional[float],
        progress: bool,
        hear: Callable[[Union[Answer, Depth]], None],
    ) -> None: ...
