"""Tests of sby_engine_pedra.py that need no sby. With PEDRA, the path of the program, its real lines are read
as well.

    python3 test_engine.py
"""

import json
import os
import subprocess
import types
import unittest
from pathlib import Path

import sby_engine_pedra
from sby_engine_pedra import Verdicts

MODELS = Path(__file__).resolve().parent.parent.parent / "models"


def lines(*settled, exit):
    """The lines of a run: a verdict for each property, and the end."""
    start = {"event": "start", "properties": list(range(len(settled)))}
    properties = [{"event": "property", "property": i, **event} for i, event in enumerate(settled)]
    return [start, *properties, {"event": "end", "exit": exit}]


def heard(mode, events, depth=20):
    verdicts = Verdicts(mode, depth)
    for event in events:
        verdicts.hear(event)
    return verdicts


PROVED = {"verdict": "proved"}
VIOLATED = {"verdict": "violated", "step": 3}
OPEN = {"verdict": "unknown", "safe_until": 19, "safe_checked": None}
BOUNDED = {"verdict": "unknown", "safe_until": 19, "safe_checked": 19}


class StatusTest(unittest.TestCase):
    def check(self, mode, settled, exit, status):
        verdicts = heard(mode, lines(*settled, exit=exit))
        self.assertIsNone(verdicts.problem(exit))
        self.assertEqual(verdicts.overall(), status, (mode, settled))

    def test_prove(self):
        self.check("prove", [PROVED, PROVED], 0, "PASS")
        self.check("prove", [PROVED, VIOLATED], 1, "FAIL")
        self.check("prove", [PROVED, OPEN], 3, "UNKNOWN")
        self.check("prove", [PROVED, BOUNDED], 3, "UNKNOWN")

    def test_bmc(self):
        self.check("bmc", [PROVED, BOUNDED], 3, "PASS")
        self.check("bmc", [BOUNDED, VIOLATED], 1, "FAIL")
        # A bound that nobody has checked, and one that is too short.
        self.check("bmc", [OPEN], 3, "UNKNOWN")
        self.check("bmc", [{**BOUNDED, "safe_checked": 18}], 3, "UNKNOWN")
        verdicts = heard("bmc", lines({**BOUNDED, "safe_checked": 0}, exit=3), depth=1)
        self.assertEqual(verdicts.overall(), "PASS")

    def test_cover(self):
        self.check("cover", [VIOLATED, VIOLATED], 1, "PASS")
        self.check("cover", [VIOLATED, PROVED], 1, "FAIL")
        self.check("cover", [VIOLATED, BOUNDED], 1, "FAIL")
        self.check("cover", [VIOLATED, OPEN], 1, "UNKNOWN")

    def test_no_result(self):
        whole = lines(PROVED, PROVED, exit=0)
        self.assertIsNone(heard("prove", whole).problem(0))
        for events, code in [
            ([], 0),                                    # silence
            ([], 2),                                    # an error
            (whole[:-1], 0),                            # killed before the end
            (whole[1:], 0),                             # no start
            ([whole[0], whole[1], whole[-1]], 0),       # a property is missing
            (whole, 70),                                # an answer failed its check
            (whole, -9),                                # a signal
            (whole, 1),                                 # another code than the one it told
        ]:
            self.assertIsNotNone(heard("prove", events).problem(code), (events, code))
        self.assertEqual(heard("prove", []).overall(), "UNKNOWN")


class CommandTest(unittest.TestCase):
    def test_command_lines(self):
        task = types.SimpleNamespace(
            exe_paths={"pedra": "/a b/pedra"}, opt_depth=20, opt_vcd=True, opt_vcd_sim=False
        )
        self.assertEqual(
            sby_engine_pedra.command("bmc", task, 0, []),
            "'/a b/pedra' check --json --depth 19 --engine bmc --trace engine_0/trace.wit "
            "--vcd engine_0/trace.vcd model/design_btor.btor",
        )
        task.opt_vcd_sim = True
        self.assertEqual(
            sby_engine_pedra.command("prove", task, 1, ["-e", "pdr"]),
            "'/a b/pedra' check --json --trace engine_1/trace.wit -e pdr model/design_btor.btor",
        )


@unittest.skipUnless(os.getenv("PEDRA"), "PEDRA is not set")
class RealLinesTest(unittest.TestCase):
    def run_pedra(self, mode, depth, model, *options):
        command = [os.environ["PEDRA"], "check", "--json", *options, str(MODELS / model)]
        run = subprocess.run(command, capture_output=True, text=True)
        verdicts = heard(mode, map(json.loads, run.stdout.splitlines()), depth)
        return verdicts, run.returncode

    def check(self, mode, depth, model, *options, status):
        verdicts, code = self.run_pedra(mode, depth, model, *options)
        self.assertIsNone(verdicts.problem(code))
        self.assertEqual(verdicts.overall(), status)

    def test_statuses(self):
        self.check("prove", 20, "pipeline.btor2", status="PASS")
        self.check("prove", 20, "fifo.btor2", status="FAIL")
        self.check("cover", 20, "fifo.btor2", status="FAIL")
        self.check("prove", 13, "island.btor2", "-e", "kind", "--depth", "12", status="UNKNOWN")
        self.check("bmc", 13, "island.btor2", "-e", "bmc", "--depth", "12", status="PASS")
        self.check("bmc", 14, "island.btor2", "-e", "bmc", "--depth", "12", status="UNKNOWN")
        self.check("prove", 20, "fifo_data.btor2", "-e", "bmc", "--timeout", "300ms", status="UNKNOWN")

    def test_errors(self):
        verdicts, code = self.run_pedra("bmc", 20, "no_such_model.btor2")
        self.assertIsNotNone(verdicts.problem(code))


if __name__ == "__main__":
    unittest.main()
