"""Decide safety properties of hardware models and programs, and prove the answers.

>>> import pedra
>>> model = pedra.read("models/fifo.btor2")
>>> for result in model.check(timeout=60):
...     print(result.name, result.verdict)
pointers_disagree proved
overflow proved
full violated

Every *proved* and *violated* is checked by a second route before it is given, see
:class:`Result`. What cannot be decided is *unknown*, with the reason.
"""

from ._model import Model, Property, read
from ._native import VERSION as __version__
from ._native import InputError, InternalError
from ._result import Certificate, Invariant, Progress, Result, Statement, Trace, Verdict

__all__ = [
    "Certificate",
    "InputError",
    "InternalError",
    "Invariant",
    "Model",
    "Progress",
    "Property",
    "Result",
    "Statement",
    "Trace",
    "Verdict",
    "__version__",
    "read",
]
