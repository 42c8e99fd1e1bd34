# An engine for SymbiYosys (sby) that runs Pedra. See README.md for how it is added to sby.
#
#     [engines]
#     pedra [OPTIONS OF pedra check]
#
# Modes: bmc, prove, cover. The model is BTOR2, so words and memories stay what they are. Pedra prints one
# JSON line for each property when it is settled (docs/JSON.md); each gets its own status and trace.
#
# What counts as a status is decided in the class Verdicts, which knows nothing of sby. Silence, a limit, an
# error or a claim that was not checked never becomes PASS.
#
# Licensed under MIT or Apache-2.0, at your choice.

import json
import os
import shlex


class Verdicts:
    """What the JSON lines of one run add up to."""

    def __init__(self, mode, depth):
        self.mode = mode
        # The last step that a bounded mode asks about.
        self.last_step = depth - 1
        self.expected = None
        # By index of the property: PASS, FAIL or UNKNOWN.
        self.status = {}
        self.has_ended = False
        self.exit = None

    def hear(self, event):
        """Takes in one line; gives the status of the property that it settles, if it does."""
        kind = event.get("event")
        if kind == "start":
            self.expected = set(event["properties"])
        elif kind == "end":
            self.has_ended = True
            self.exit = event["exit"]
        elif kind == "property":
            status = self.status_of(event)
            self.status[event["property"]] = status
            return status
        return None

    def status_of(self, event):
        verdict = event.get("verdict")
        checked = event.get("safe_checked")
        within = checked is not None and checked >= self.last_step
        if self.mode == "cover":
            # The model has covers in the place of assertions: a violation is the run that was asked for.
            if verdict == "violated":
                return "PASS"
            # Not in any run, or not within the steps that the mode asks about.
            return "FAIL" if verdict == "proved" or within else "UNKNOWN"
        if verdict == "violated":
            return "FAIL"
        if verdict == "proved":
            return "PASS"
        # No violation up to the bound, which a second solver has confirmed.
        return "PASS" if self.mode == "bmc" and within else "UNKNOWN"

    def problem(self, returncode):
        """Why the run has no result, or nothing."""
        if not self.has_ended:
            return "it ended without its last line"
        if returncode != self.exit or returncode not in (0, 1, 3):
            return f"it returned {returncode}"
        if self.expected is None or set(self.status) != self.expected:
            return "it did not tell about every property"
        return None

    def overall(self):
        """The status of the task."""
        found = set(self.status.values())
        if "FAIL" in found:
            return "FAIL"
        return "UNKNOWN" if "UNKNOWN" in found or not found else "PASS"


def command(mode, task, engine_idx, options):
    """The command line, to be run in the work folder."""
    words = [task.exe_paths.get("pedra") or os.getenv("PEDRA", "pedra"), "check", "--json"]
    if mode in ("bmc", "cover"):
        words += ["--depth", str(task.opt_depth - 1)]
    if mode == "bmc" and not any(o in ("-e", "--engine") or o.startswith("--engine=") for o in options):
        words += ["--engine", "bmc"]
    words += ["--trace", f"engine_{engine_idx}/trace.wit"]
    # With `vcd_sim on` Yosys draws the waveform, otherwise Pedra does: no other program is needed.
    if task.opt_vcd and not task.opt_vcd_sim:
        words += ["--vcd", f"engine_{engine_idx}/trace.vcd"]
    words += options + ["model/design_btor.btor"]
    return " ".join(shlex.quote(word) for word in words)


def find_property(task, name):
    """The property of sby that a bad signal is named after."""
    for path, prop in task.design.properties_by_path.items():
        if ".".join(part.lstrip("\\") for part in path) == name:
            return prop
    return None


def run(mode, task, engine_idx, engine):
    from sby_core import SbyProc
    from sby_sim import sim_witness_trace

    if mode not in ("bmc", "prove", "cover"):
        task.error(f"The pedra engine has no mode {mode}.")
    if task.opt_skip is not None:
        task.error("The pedra engine does not support the option skip.")

    verdicts = Verdicts(mode, task.opt_depth)
    name = f"engine_{engine_idx}"
    cell = "$cover" if mode == "cover" else "$assert"
    running = 1

    def finish(retcode):
        nonlocal running
        running -= 1
        if running > 0:
            return
        status = verdicts.overall()
        task.update_status(status)
        task.summary.set_engine_status(engine_idx, status)
        task.terminate()

    def convert(witness):
        """Has sby turn a witness into its own form, and draw it."""
        nonlocal running
        trace = os.path.splitext(os.path.basename(witness))[0]
        yw_proc = SbyProc(
            task, f"{name}.{trace}", [],
            f"cd {task.workdir}; {task.exe_paths['witness']} wit2yw {witness} model/design_btor.ywb {name}/{trace}.yw",
        )
        yw_proc.checkretcode = True
        last = yw_proc
        if task.opt_fst or (task.opt_vcd and task.opt_vcd_sim):
            last = sim_witness_trace(name, task, engine_idx, f"{name}/{trace}.yw", append=0, deps=[yw_proc])
        last.register_exit_callback(finish)
        running += 1
        return trace

    def output_callback(line):
        if not line.startswith("{"):
            return line
        print(line, file=proc.logfile, flush=True)
        event = json.loads(line)
        status = verdicts.hear(event)
        if status is None:
            return None
        prop = find_property(task, event["name"])
        if prop is not None:
            prop.status = status
        traces = [convert(file) for file in event["files"] if file.endswith(".wit")]
        for trace in traces or ([None] if status == "PASS" else []):
            vcd = f"{name}/{trace}.vcd"
            known = {} if prop is None else {"hdlname": prop.hdlname, "src": prop.location, "prop": prop}
            task.summary.add_event(
                engine_idx=engine_idx, trace=trace, path=vcd if vcd in event["files"] else None,
                type=cell, step=event.get("step"), **known,
            )
        return f"{event['verdict']} {event['name']}"

    def exit_callback(retcode):
        problem = verdicts.problem(retcode)
        if problem is not None:
            task.error(f"{name}: no result from pedra: {problem}.")
        finish(retcode)

    proc = SbyProc(
        task, name, task.model("btor"),
        f"cd {task.workdir}; {command(mode, task, engine_idx, engine[1:])}",
        logfile=open(f"{task.workdir}/{name}/logfile.txt", "w"),
    )
    proc.output_callback = output_callback
    proc.register_exit_callback(exit_callback)
