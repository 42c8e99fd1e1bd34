#!/usr/bin/env python3
"""Has the evidence of Pedra checked by programs of others.

    check.py certifaiger MODEL...   certificates of AIGER models: certifaiger, aigsplit, aigtocnf, cadical
    check.py aigsim MODEL...        AIGER witnesses and lassos: aigsim -c
    check.py btorsim MODEL...       BTOR2 witnesses: btorsim -c
    check.py cerbtora MODEL...      certificates of BTOR2 models: cerbtora, and the Python package bitwuzla
    check.py z3 MODEL...            SMT-LIB certificates of BTOR2 models and programs: z3, every answer unsat
    check.py horn PROBLEM...        definitions of predicates of linear Horn clauses, in the problem itself: z3
    check.py witness PROGRAM...     YAML witnesses of C programs: pedra certify (Pedra's own second look)

A MODEL that ends in `.tsv` is a table with the columns `file` and `expected`; `tier` (quick, medium, hard) orders it,
`family` or `category` spread the choice, and `--set` selects rows. Pedra runs with one thread under `--cpu`, each run
of a checker under `--check-cpu`, one process at a time; a model that is not decided in time is left out. Each line
on standard output is one piece of evidence: `accepted`, `refused`, `limit` (the checker did not finish), `none`
(decided, but nothing was written that it could check), `unread` (Pedra refuses the model), `error` (Pedra failed). Exit
code 1 if anything was refused or failed.

`control` is the answer to spoilt evidence, so that a checker that accepts everything shows: the negated invariant for
certifaiger and cerbtora; a trace without its last step for the simulators; queries without their conclusion for z3.
It should be `refused`; what is left of a trace may by chance be one, too.

A certificate proves one property, and certifaiger and cerbtora ask about all: give them models with one.
"""

import argparse
import csv
import itertools
import os
import re
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

TIERS = {"quick": 0, "medium": 1, "hard": 2}


class Limit(Exception):
    """The checker used up its time."""


def children_cpu():
    """CPU seconds of all processes that were started and have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run(command, cpu_s, folder=None):
    """The exit code and the output of a command under a CPU limit. The code is negative if the limit ended it."""

    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (cpu_s, cpu_s + 1))

    done = subprocess.run(
        [str(part) for part in command], cwd=folder, preexec_fn=limit, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, errors="replace",
    )
    return done.returncode, done.stdout


def models(names, expected, only_set, root):
    """The files that are named; of tables those with the verdict, quick ones first, one of each family in turn."""
    for name in names:
        if not name.endswith(".tsv"):
            yield Path(name)
            continue
        folder = Path(root or Path(name).parent)
        tiers = {}
        with open(name) as table:
            for row in csv.DictReader(table, delimiter="\t"):
                if row["expected"] == expected and only_set in (None, row["set"]):
                    families = tiers.setdefault(TIERS.get(row.get("tier"), 0), {})
                    family = row.get("family") or row.get("category")
                    families.setdefault(family, []).append(folder / row["file"])
        for _, families in sorted(tiers.items()):
            for turn in itertools.zip_longest(*families.values()):
                yield from (file for file in turn if file)


# Each checker: `accepted` or `refused`, with what it said.


def certifaiger(options, model, evidence, folder):
    """Certifaiger's own script `check_unsat`, one question after the other."""
    names = folder / "questions"
    names.mkdir(exist_ok=True)
    for old in names.iterdir():
        old.unlink()
    limit = options.check_cpu
    code, said = run(["certifaiger", model, evidence, folder / "all.aig"], limit)
    if code != 0:
        return "refused", said
    code, said = run(["aigsplit", "-n", folder / "all.aig"], limit, names)
    questions = sorted(names.iterdir())
    if code != 0 or len(questions) < 5:
        return "refused", f"aigsplit made {len(questions)} questions: {said}"
    for question in questions:
        code, said = run(["aigtocnf", question, folder / "question.cnf"], limit)
        if code != 0:
            return "refused", f"aigtocnf {question.stem}: {said}"
        code, said = run(["cadical", "-q", "--unsat", folder / "question.cnf"], limit)
        if code < 0:
            raise Limit(question.stem)
        if code != 20:
            return "refused", f"{question.stem}: {said[:100]}"
    return "accepted", f"{len(questions)} questions"


# The answer of Bitwuzla to a combinational BTOR2 file: are its constraints satisfiable?
BITWUZLA = """
import sys, bitwuzla
parser = bitwuzla.Parser(bitwuzla.TermManager(), bitwuzla.Options(), "btor2")
parser.parse(sys.argv[1], True, True)
print(parser.bitwuzla().check_sat())
"""


def cerbtora(options, model, evidence, folder):
    """Cerbtora's own script `check_unsat`. Bitwuzla's parser asserts constraints only: each `bad` is made one."""
    questions = [folder / f"{n}.btor2" for n in ("reset", "transition", "property", "base", "step")]
    code, said = run(["cerbtora", model, evidence, *questions], options.check_cpu)
    if code != 0:
        return "refused", said
    for question in questions:
        asked, bads = re.subn(r"(?m)^(\d+) bad ", r"\1 constraint ", question.read_text())
        question.write_text(asked + "\n")
        code, said = run([sys.executable, "-c", BITWUZLA, question], options.check_cpu)
        answer = said.strip()
        if bads != 1 or answer == "sat":
            return "refused", f"{question.stem}: {answer}"
        if code < 0:
            raise Limit(question.stem)
        if code != 0 or answer != "unsat":
            return "refused", f"{question.stem}: {said[-200:]}"
    return "accepted", f"{len(questions)} questions"


def simulator(name):
    """A checker that simulates the trace."""

    def check(options, model, evidence, folder):
        code, said = run([name, "-c", model, evidence], options.check_cpu)
        if code < 0:
            raise Limit(name)
        return ("accepted" if code == 0 else "refused"), said

    return check


def aigsim(options, model, evidence, folder):
    """Inputs that do not matter are `x`; aigsim takes them for 0, so it is asked about 1 as well."""
    simulate = simulator("aigsim")
    answer, said = simulate(options, model, evidence, folder)
    lines = Path(evidence).read_text().splitlines()
    ones = folder / "ones.wit"
    # Line 2 is the initial state: an x there is a latch of which aigsim knows the value.
    ones.write_text("\n".join(l if n == 2 else l.replace("x", "1") for n, l in enumerate(lines)) + "\n")
    if answer == "accepted":
        answer, said = simulate(options, model, ones, folder)
        said = said or ("x" if any("x" in l for l in lines[3:]) else "")
    return answer, said


def z3(options, model, evidence, folder):
    asked = len(re.findall(r"^\(check-sat\)", Path(evidence).read_text(), re.MULTILINE))
    code, said = run(["z3", evidence], options.check_cpu)
    answers = said.split()
    if "sat" in answers or "(error" in said:
        return "refused", said[:300]
    if code < 0 or "unknown" in answers or "timeout" in answers:
        raise Limit(f"{answers.count('unsat')} of {asked}")
    is_whole = asked > 0 and answers == ["unsat"] * asked
    return ("accepted" if is_whole else "refused"), f"{answers.count('unsat')} of {asked}"


def commands(text):
    """The top-level commands of an SMT-LIB file."""
    depth, start = 0, 0
    for token in re.finditer(r';[^\n]*|\|[^|]*\||"[^"]*"|[()]', text):
        if token[0] == "(":
            start = token.start() if depth == 0 else start
            depth += 1
        elif token[0] == ")":
            depth -= 1
            if depth == 0:
                yield text[start:token.end()]


def horn(options, model, evidence, folder):
    """Pedra's definitions of the predicates, and the clauses as they stand in the problem: none can be false."""
    before_queries = itertools.takewhile(lambda c: not c.startswith("(push"), commands(evidence.read_text()))
    definitions = [c for c in before_queries if c.startswith("(define-fun")]
    if not definitions:
        return "none", "queries without definitions"
    name = re.compile(r"\((?:define|declare)-fun\s+(\|[^|]*\||\S+)")
    defined = {name.match(c)[1].strip("|") for c in definitions}
    asked = ["(set-logic ALL)"]
    clauses = []
    for command in commands(model.read_text()):
        if command.startswith("(assert"):
            clauses.append(f"(push 1)\n(assert (not {command[len('(assert'):-1]}))\n(check-sat)\n(pop 1)")
        elif command.startswith("(declare-fun") and name.match(command)[1].strip("|") in defined:
            defined.discard(name.match(command)[1].strip("|"))
        elif command.startswith(("(declare", "(define")):
            asked.append(command)
    if defined:
        return "refused", f"not in the problem: {defined}"
    problem = folder / "problem.smt2"
    problem.write_text("\n".join(asked + definitions + clauses) + "\n")
    return z3(options, model, problem, folder)


def witness(options, model, evidence, folder):
    code, said = run([options.pedra, "certify", model, evidence], options.check_cpu)
    if code < 0 or code == 3:
        raise Limit("certify")
    return ("accepted" if code == 0 else "refused"), said


# Each way to spoil evidence.


def negate_invariant(evidence, spoilt):
    text = spoilt.with_suffix(".aag")
    subprocess.run(["aigtoaig", evidence, text], check=True)
    lines = text.read_text().splitlines()
    header = [int(word) for word in lines[0].split()[1:]]
    _, inputs, latches, outputs, _, bads = (header + [0])[:6]
    first = 1 + inputs + latches + (outputs if bads else 0)
    lines[first] = str(int(lines[first]) ^ 1)
    text.write_text("\n".join(lines) + "\n")
    return text


def negate_bad(evidence, spoilt):
    spoilt.write_text(re.sub(r"(?m)^(\d+) bad (\d+)", r"\1 bad -\2", evidence.read_text()))
    return spoilt


def drop_goals(evidence, spoilt):
    """Each query without its last assertion, the negated conclusion: premises alone should be satisfiable."""
    kept = []
    for line in reversed(evidence.read_text().splitlines()):
        if line.startswith("(check-sat)"):
            is_next = True
        elif line.startswith("(assert ") and is_next:
            is_next = False
            continue
        kept.append(line)
    spoilt.write_text("\n".join(reversed(kept)) + "\n")
    return spoilt


def cut_aiger(evidence, spoilt):
    lines = evidence.read_text().splitlines()
    spoilt.write_text("\n".join(lines[:-2] + lines[-1:]) + "\n")
    return spoilt


def cut_btor2(evidence, spoilt):
    """Without the inputs and free states of the last step."""
    lines = evidence.read_text().splitlines()
    steps = [n for n, line in enumerate(lines) if re.match(r"[@#]\d+$", line)]
    last = lines[steps[-1]][1:]
    cut = next(n for n in steps if lines[n][1:] == last)
    spoilt.write_text("\n".join(lines[:cut] + ["."]) + "\n")
    return spoilt


KINDS = {
    # The verdict, the option that writes the evidence, its ending, the checker, the way to spoil it.
    "certifaiger": ("safe", "--certificate", ".aig", certifaiger, negate_invariant),
    "aigsim": ("unsafe", "--trace", ".wit", aigsim, cut_aiger),
    "btorsim": ("unsafe", "--trace", ".wit", simulator("btorsim"), cut_btor2),
    "cerbtora": ("safe", "--certificate", ".btor2", cerbtora, negate_bad),
    "z3": ("safe", "--certificate", ".smt2", z3, drop_goals),
    "horn": ("safe", "--certificate", ".smt2", horn, None),
    "witness": ("safe", "--witness", ".yml", witness, None),
}


def check_one(options, model, folder, counts):
    """One model: a line for each piece of evidence."""
    verdict, writes, ending, check, spoil = KINDS[options.kind]
    for old in folder.glob("evidence*"):
        old.unlink()
    before = children_cpu()
    evidence = folder / f"evidence{ending}"
    code, said = run([options.pedra, "check", "--threads", "1", *options.option, writes, evidence, model], options.cpu)
    used = children_cpu() - before
    files = sorted(folder.glob("evidence*"))
    if code not in (0, 1, 3) and code >= 0:
        report(counts, model, used, "unread" if code == 2 else "error", f"exit code {code}: {said[-200:]}")
    elif code == (0 if verdict == "safe" else 1) and not files:
        report(counts, model, used, "none", said)
    for file in files if code in (0, 1) else []:
        before = children_cpu()
        answer, remark = ask(check, options, model, file, folder)
        spent = children_cpu() - before
        control = ""
        if spoil and answer == "accepted":
            control, _ = ask(check, options, model, spoil(file, folder / f"spoilt{ending}"), folder)
        if options.keep and answer in ("refused", "limit"):
            os.makedirs(options.keep, exist_ok=True)
            (Path(options.keep) / f"{model.stem}.{file.name}").write_bytes(file.read_bytes())
        report(counts, model, used, answer, remark, spent, control)


def ask(check, *arguments):
    """The answer of a checker, a limit included."""
    try:
        return check(*arguments)
    except Limit as limit:
        return "limit", str(limit)


def report(counts, model, used, answer, remark, spent=0.0, control=""):
    """Counts an answer and prints its line."""
    counts[answer] = counts.get(answer, 0) + 1
    if control:
        counts[f"control {control}"] = counts.get(f"control {control}", 0) + 1
    remark = " ".join(remark.split())[:200]
    print(f"{model}\t{used:.2f}\t{answer}\t{spent:.2f}\t{control}\t{remark}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("models", nargs="+")
    parser.add_argument("--pedra", default="pedra", help="the program")
    parser.add_argument("--option", action="append", default=[], help="one more option of pedra check")
    parser.add_argument("--set", help="only rows of the table with this value in the column `set`")
    parser.add_argument("--root", help="the folder of the table's files, if it is not the table's own")
    parser.add_argument("--count", type=int, default=10**9, help="stop after this many pieces of evidence")
    parser.add_argument("--cpu", type=int, default=20, help="CPU seconds for Pedra")
    parser.add_argument("--check-cpu", type=int, default=120, help="CPU seconds for each run of the checker")
    parser.add_argument("--keep", help="a folder for evidence that was not accepted")
    options = parser.parse_args()
    counts = {}
    print("model\tcpu_s\tanswer\tcheck_cpu_s\tcontrol\tremark")
    with tempfile.TemporaryDirectory() as folder:
        for model in models(options.models, KINDS[options.kind][0], options.set, options.root):
            check_one(options, model, Path(folder), counts)
            if sum(counts.get(answer, 0) for answer in ("accepted", "refused", "limit")) >= options.count:
                break
    print(", ".join(f"{name} {n}" for name, n in sorted(counts.items())), file=sys.stderr)
    return 1 if counts.get("refused") or counts.get("error") or not counts.get("accepted") else 0


if __name__ == "__main__":
    sys.exit(main())
