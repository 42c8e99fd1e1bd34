"""
Runs in the style of the competition on software verification.

A task is a C program with a property file (`unreach-call` or `no-overflow`) and a data model.
"""

import benchexec.result as result
from benchexec.tools.template import UnsupportedFeatureException

from .base import Pedra

ANSWERS = {
    ("TRUE", 0): result.RESULT_TRUE_PROP,
    ("FALSE(unreach-call)", 1): result.RESULT_FALSE_REACH,
    ("FALSE(no-overflow)", 1): result.RESULT_FALSE_OVERFLOW,
    ("UNKNOWN", 3): result.RESULT_UNKNOWN,
}


class Tool(Pedra):
    """
    Pedra on C programs: `pedra svcomp PROGRAM`
    """

    def cmdline(self, executable, options, task, rlimits):
        words = [executable, "svcomp", *self.limits(rlimits)]
        if task.property_file:
            words += ["--property", task.property_file]
        model = (task.options or {}).get("data_model")
        if model is not None:
            if model not in {"ILP32", "LP64"}:
                raise UnsupportedFeatureException(f"data model {model}")
            words += ["--data-model", model]
        return [*words, *options, task.single_input_file]

    def determine_result(self, run):
        words = {answer for answer, _ in ANSWERS}
        answers = [line.strip() for line in run.output if line.strip() in words]
        if len(answers) != 1:
            return self.failure(run)
        return ANSWERS.get((answers[0], run.exit_code.value)) or self.failure(run)
