"""The package as users have it: installed from a wheel, called from Python.

Run in the root of the repository: `python crates/python/tests/test_pedra.py`.
"""

import doctest
import os
import signal
import subprocess
import sys
import threading
import time
import unittest

import pedra
import pedra._model
import pedra._result

#: True, but not k-inductive: k-induction never ends on it.
ENDLESS = "models/fifo_data.btor2"


def load_tests(loader, tests, pattern):
    """The examples of the documentation are tests."""
    options = doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL
    for module in [pedra, pedra._model, pedra._result]:
        tests.addTests(doctest.DocTestSuite(module, {"pedra": pedra}, optionflags=options))
    options = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    guide = os.path.abspath("docs/PYTHON.md")
    tests.addTests(doctest.DocFileSuite(guide, module_relative=False, optionflags=options))
    return tests


class Verdicts(unittest.TestCase):
    def test_all_kinds(self):
        model = pedra.read("models/arbiter.aag")
        results = model.check("kind", properties=[0, "not_granted_at_once"])
        with self.assertRaises(pedra.InputError):
            model.check("kind", properties=[99])
        self.assertEqual([r.verdict for r in results], ["proved", "violated"])
        self.assertEqual([r.index for r in results], [0, 2])
        proof, violation = results
        self.assertGreater(len(proof.certificate("aig").data), 10)
        self.assertIsNone(proof.trace)
        self.assertEqual(violation.step, 2)
        self.assertEqual(len(violation.trace.steps), 3)
        self.assertTrue(violation.trace.witness().startswith("1\nb2\n"))
        self.assertIn(b"$timescale", violation.trace.vcd())
        with self.assertRaises(ValueError):
            violation.certificate("aig")
        with self.assertRaises(pedra.InputError):
            proof.certificate("btor2")

    def test_programs(self):
        [result] = pedra.read("models/programs/even.c").check()
        self.assertEqual(result.verdict, "proved")
        self.assertEqual(result.invariants[0].line, 7)
        self.assertIn(b"(check-sat)", result.certificate("smt2").data)
        overflow = pedra.read("models/programs/midpoint.c", data_model="lp64")
        self.assertTrue(all(r.verdict for r in overflow.check(properties=["all"])))

    def test_seeds_and_threads(self):
        model = pedra.read("models/fifo.btor2")
        once, again = model.check("pdr", seed=3), model.check("pdr", seed=3)
        self.assertEqual([r.clauses for r in once], [r.clauses for r in again])
        results = model.check(threads=2)
        self.assertEqual([r.verdict for r in results], ["proved", "proved", "violated"])

    def test_tables(self):
        try:
            import numpy
            import pandas
        except ImportError:
            self.skipTest("pandas is not installed")
        [result] = pedra.read("models/counter_overflow.aag").check()
        table = pandas.DataFrame(result.trace)
        self.assertEqual(list(table["count"]), list(range(8)))
        self.assertEqual(numpy.array(result.trace["count"]).max(), 7)


class Callbacks(unittest.TestCase):
    def test_progress_and_results(self):
        depths, results = [], []
        model = pedra.read(ENDLESS)
        given = model.check(
            "kind", depth=6, on_progress=lambda p: depths.append(p.depth), on_result=results.append
        )
        self.assertEqual(max(depths), 6)
        self.assertEqual({r.index for r in results}, {r.index for r in given})

    def test_an_exception_ends_the_check(self):
        def fail(progress):
            raise KeyError(progress.depth)

        begin = time.monotonic()
        with self.assertRaises(KeyError):
            pedra.read(ENDLESS).check("kind", on_progress=fail)
        self.assertLess(time.monotonic() - begin, 30)

    def test_the_lock_is_released(self):
        ticks = []
        done = threading.Event()

        def tick():
            while not done.wait(0.01):
                ticks.append(time.monotonic())

        thread = threading.Thread(target=tick)
        thread.start()
        pedra.read(ENDLESS).check("kind", properties=["b0"], timeout=1)
        done.set()
        thread.join()
        self.assertGreater(len(ticks), 10)


class Stops(unittest.TestCase):
    def test_timeout(self):
        begin = time.monotonic()
        [result] = pedra.read(ENDLESS).check("kind", properties=["b0"], timeout=0.5)
        self.assertEqual((result.verdict, result.reason), ("unknown", "time limit reached"))
        self.assertLess(time.monotonic() - begin, 30)

    def test_interrupt(self):
        code = (
            "import pedra, sys\n"
            f"model = pedra.read({ENDLESS!r})\n"
            "print('ready', flush=True)\n"
            "try:\n"
            "    model.check('kind', properties=['b0'])\n"
            "except KeyboardInterrupt:\n"
            "    sys.exit(42)\n"
        )
        child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
        self.assertEqual(child.stdout.readline().strip(), b"ready")
        time.sleep(0.3)
        child.send_signal(signal.SIGINT)
        self.assertEqual(child.wait(60), 42)
        child.stdout.close()

    def test_bad_input(self):
        for path, text in [
            ("models/none.aag", "cannot be read"),
            ("crates/cli/tests/bad/empty.aig", "empty"),
            ("Cargo.toml", "unknown format"),
        ]:
            with self.assertRaisesRegex(pedra.InputError, text):
                pedra.read(path)
        model = pedra.read("models/fifo.btor2")
        for options, text in [
            ({"engine": "ic3"}, "invalid value 'ic3'"),
            ({"properties": ["nothing"]}, "no property is named"),
            ({"timeout": -1}, "negative"),
            ({"threads": 0}, "0"),
            ({"options": {"pdr.x": 1}}, "pdr.x"),
        ]:
            with self.assertRaisesRegex(pedra.InputError, text):
                model.check(**options)
        with self.assertRaises(pedra.InputError):
            pedra.read("models/fifo.btor2", data_model="lp64")


if __name__ == "__main__":
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../.."))
    unittest.main()
