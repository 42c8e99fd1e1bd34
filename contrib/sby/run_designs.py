"""Runs the designs of models/verilog through sby, with Pedra in each place, and compares what sby concludes with
the table of verdicts.

    python3 run_designs.py PEDRA SBY [ARGUMENTS OF SBY]

SBY is the command that starts sby, such as `sby` or `python3 sbysrc/sby.py`. The place `pedra` needs the engine
file and the patch (README.md); it is left out if sby does not know it. Exit code 1 if a status differs.
"""

import csv
import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

DESIGNS = Path(__file__).resolve().parent.parent.parent / "models" / "verilog"
DEPTH = 40

# The place, the mode, the line of [engines], and the flag that names the program.
PLACES = [
    ("rIC3 prove", "prove", "aiger rIC3", "--rIC3"),
    ("rIC3 bmc", "bmc", "aiger rIC3", "--rIC3"),
    ("avy prove", "prove", "aiger avy", "--avy"),
    ("pono bmc", "bmc", "btor pono", "--pono"),
    ("pedra prove", "prove", "pedra", "--pedra"),
    ("pedra bmc", "bmc", "pedra", "--pedra"),
    ("pedra cover", "cover", "pedra", "--pedra"),
]


# Each status in each place: the mode, the line of [engines], options, the flag, the design, the status.
SLOW = "depth 100000\ntimeout 10"
STATUSES = [
    ("prove", "aiger rIC3", "", "--rIC3", "uart.sv", "PASS"),
    ("prove", "aiger rIC3", "", "--rIC3", "counter.v", "FAIL"),
    ("prove", "aiger rIC3 -e bmc -k 10", "", "--rIC3", "uart.sv", "UNKNOWN"),
    ("prove", "aiger rIC3 -e nonsense", "", "--rIC3", "uart.sv", "ERROR"),
    ("prove", "aiger rIC3 -e bmc", SLOW, "--rIC3", "uart.sv", "TIMEOUT"),
    ("bmc", "aiger rIC3", "", "--rIC3", "uart.sv", "PASS"),
    ("bmc", "aiger rIC3 -e nonsense", "", "--rIC3", "uart.sv", "ERROR"),
    ("bmc", "aiger rIC3", SLOW, "--rIC3", "uart.sv", "TIMEOUT"),
    ("prove", "aiger avy", "", "--avy", "uart.sv", "PASS"),
    ("prove", "aiger avy", "", "--avy", "counter.v", "FAIL"),
    ("prove", "aiger avy -e bmc -k 10", "", "--avy", "uart.sv", "UNKNOWN"),
    ("prove", "aiger avy -e nonsense", "", "--avy", "uart.sv", "ERROR"),
    ("prove", "aiger avy -e bmc", SLOW, "--avy", "uart.sv", "TIMEOUT"),
    ("bmc", "btor pono", "", "--pono", "uart.sv", "PASS"),
    ("bmc", "btor pono", "", "--pono", "counter.v", "FAIL"),
    ("bmc", "btor pono -e kind", "", "--pono", "packets.sv", "FAIL"),
    ("bmc", "btor pono -e kind", "", "--pono", "saturate.sv", "ERROR"),
    ("bmc", "btor pono -e nonsense", "", "--pono", "uart.sv", "ERROR"),
    ("bmc", "btor pono", SLOW, "--pono", "uart.sv", "TIMEOUT"),
    ("prove", "pedra", "", "--pedra", "uart.sv", "PASS"),
    ("prove", "pedra", "", "--pedra", "counter.v", "FAIL"),
    ("prove", "pedra -e bmc --depth 10", "", "--pedra", "uart.sv", "UNKNOWN"),
    ("prove", "pedra -e bmc --timeout 1s", "", "--pedra", "uart.sv", "UNKNOWN"),
    ("bmc", "pedra --timeout 1s", "depth 100000", "--pedra", "uart.sv", "UNKNOWN"),
    ("prove", "pedra -e nonsense", "", "--pedra", "uart.sv", "ERROR"),
    ("prove", "pedra -e bmc", SLOW, "--pedra", "uart.sv", "TIMEOUT"),
]


def designs():
    """The designs with default options: the verdicts of each."""
    found = {}
    with open(DESIGNS / "manifest.tsv") as table:
        for row in csv.DictReader(table, delimiter="\t"):
            if row["options"] == "-" and row["verdict"] != "vacuous":
                found.setdefault(row["file"], []).append(row["verdict"])
    return found


def expected(mode, verdicts):
    """What sby should say; nothing if the mode has no property."""
    if mode == "cover":
        covers = [v for v in verdicts if v in ("reached", "unreachable")]
        return ("FAIL" if "unreachable" in covers else "PASS") if covers else None
    return "FAIL" if "violated" in verdicts else "PASS"


def run(sby, pedra, folder, file, place, options=f"depth {DEPTH}"):
    name, mode, engine, flag = place
    top = Path(file).stem
    multiclock = "multiclock on\n" if file == "two_clocks.sv" else ""
    task = folder / f"{top}_{name.replace(' ', '_')}.sby"
    task.write_text(
        f"[options]\nmode {mode}\n{options}\nvcd_sim on\n{multiclock}"
        f"[engines]\n{engine}\n"
        f"[script]\nread -formal {file}\nprep -top {top}\n"
        f"[files]\n{DESIGNS / file}\n"
    )
    command = [*sby, "-f", flag, pedra, str(task)]
    out = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    work = folder / task.stem
    status = (work / "status")
    said = status.read_text().split()[0] if status.exists() else "ERROR"
    traces = len(list(work.glob("engine_0/*.vcd")))
    return said, traces, out.stdout


def main():
    pedra, sby = os.path.abspath(sys.argv[1]), shlex.split(sys.argv[2]) + sys.argv[3:]
    help_text = subprocess.run([*sby, "--help"], capture_output=True, text=True).stdout
    places = [p for p in PLACES if p[3] in help_text]
    print("design".ljust(16) + "".join(place[0].ljust(22) for place in places))
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for file, verdicts in sorted(designs().items()):
            line = file.ljust(16)
            for place in places:
                wanted = expected(place[1], verdicts)
                if wanted is None:
                    line += "-".ljust(22)
                    continue
                said, traces, log = run(sby, pedra, Path(folder), file, place)
                needs_trace = said == ("PASS" if place[1] == "cover" else "FAIL")
                is_right = said == wanted and (traces > 0 or not needs_trace)
                wrong += not is_right
                cell = said + (f", {traces} VCD" if traces else "")
                line += (cell if is_right else f"{cell} WRONG").ljust(22)
                if not is_right:
                    print(log, file=sys.stderr)
            print(line, flush=True)
        for number, (mode, engine, options, flag, file, wanted) in enumerate(STATUSES):
            if flag not in help_text:
                continue
            place = (f"status {number}", mode, engine, flag)
            said, _, log = run(sby, pedra, Path(folder), file, place, options or f"depth {DEPTH}")
            wrong += said != wanted
            mark = "" if said == wanted else f"  WRONG, not {wanted}"
            print(f"{mode:<6} {engine:<26} {file:<14} {said}{mark}", flush=True)
            if said != wanted:
                print(log, file=sys.stderr)
    print("all as in the table" if wrong == 0 else f"{wrong} differ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
