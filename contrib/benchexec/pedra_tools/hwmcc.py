"""
Runs in the style of the hardware model checking competition.

A task is an AIGER or BTOR2 file. `sat` (exit code 10) is `false`: some property is violated.
`unsat` (20) is `true`. The answer must agree with the exit code.
"""

import benchexec.result as result

from .base import Pedra

ANSWERS = {
    ("sat", 10): result.RESULT_FALSE_PROP,
    ("unsat", 20): result.RESULT_TRUE_PROP,
    ("unknown", 30): result.RESULT_UNKNOWN,
}


class Tool(Pedra):
    """
    Pedra on hardware models: `pedra hwmcc MODEL WITNESS CERTIFICATE`
    """

    def cmdline(self, executable, options, task, rlimits):
        model = task.single_input_file
        certificate = "certificate.aig" if is_aiger(model) else "certificate.btor2"
        limits = self.limits(rlimits)
        return [executable, "hwmcc", *limits, *options, model, "witness.txt", certificate]

    def determine_result(self, run):
        words = [line.strip() for line in run.output]
        answers = [word for word in words if word in {"sat", "unsat", "unknown"}]
        if len(answers) != 1:
            return self.failure(run)
        return ANSWERS.get((answers[0], run.exit_code.value)) or self.failure(run)


def is_aiger(path):
    return path.endswith((".aig", ".aag"))
