"""What both modules have in common."""

import benchexec.result as result
import benchexec.tools.template


class Pedra(benchexec.tools.template.BaseTool2):
    """The program, and what its exit codes mean beside the answers."""

    def executable(self, tool_locator):
        return tool_locator.find_executable("pedra", subdir="bin")

    def name(self):
        return "Pedra"

    def version(self, executable):
        return self._version_from_tool(executable, line_prefix="pedra ")

    def limits(self, rlimits):
        """Our own limits, somewhat below those from outside, so that we can say `unknown`."""
        words = []
        if rlimits.cputime:
            words += ["--timeout", f"{max(rlimits.cputime - 2, 1)}s"]
        if rlimits.memory:
            words += ["--memory", str(rlimits.memory * 9 // 10)]
        return words

    def failure(self, run):
        """Why there is no answer."""
        if run.was_timeout:
            return result.RESULT_TIMEOUT
        code = run.exit_code.value
        if code == 70:
            return f"{result.RESULT_ERROR}(failed check)"
        if code == 2:
            return f"{result.RESULT_ERROR}(bad input)"
        return result.RESULT_ERROR
