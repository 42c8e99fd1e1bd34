#!/usr/bin/env python3
"""What workers cost and what they survive.

    measure.py throughput PEDRA MODEL...   the same models by one process and by 1, 2 and 4 workers
    measure.py chaos PEDRA MODEL...        workers are killed, the link is cut, the server restarts
    measure.py namespaces PEDRA MODEL...   a worker in a network namespace, whose link goes down (as root)

Needs nats-server on the path (or in /usr/sbin). Everything is on loopback, in a temporary folder. Verdicts are
compared with those of one process; any difference but `unknown` is an error. Times are CPU seconds of all
processes, the server's included, unless they are called wall time.
"""

import argparse
import atexit
import concurrent.futures
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request


STARTED = []


@atexit.register
def end_started():
    """Leaves no process behind, however this one ends."""
    for process in STARTED:
        if process.returncode is None and process.poll() is None:
            process.kill()
            process.wait()


def cpu(rusage):
    return rusage.ru_utime + rusage.ru_stime


def run(words, **more):
    """Runs a process to its end; gives its output and its CPU seconds."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=out, stderr=err, **more)
        _, status, rusage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0), err.seek(0)
        return out.read().decode(), err.read().decode(), process.returncode, cpu(rusage)


def verdicts(text):
    """Property and verdict of each line, in order."""
    lines = [json.loads(line) for line in text.splitlines()]
    return [(line["property"], line["verdict"]) for line in lines if line["event"] == "property"]


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


class Server:
    """A NATS server on loopback, which can be killed and started again with its data."""

    def __init__(self, folder, host="127.0.0.1"):
        self.folder, self.cpu, self.host = folder, 0.0, host
        self.port, self.monitor = free_port(), free_port()
        self.start()

    def start(self):
        program = shutil.which("nats-server") or "/usr/sbin/nats-server"
        words = [program, "--addr", self.host, "--port", str(self.port), "--jetstream"]
        words += ["--store_dir", self.folder, "--http_port", str(self.monitor)]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self.process = subprocess.Popen(words, **quiet)
        STARTED.append(self.process)
        while True:
            try:
                socket.create_connection((self.host, self.port)).close()
                return
            except OSError:
                time.sleep(0.02)

    def kill(self):
        self.process.kill()
        self.cpu += cpu(os.wait4(self.process.pid, 0)[2])
        self.process.returncode = 0

    def traffic(self):
        """Messages and bytes that came in and went out, and the tasks that were given out, since the start."""
        def page(name):
            with urllib.request.urlopen(f"http://{self.host}:{self.monitor}/{name}") as answer:
                return json.load(answer)
        counts = page("varz")
        streams = [s for a in page("jsz?streams=true")["account_details"] for s in a["stream_detail"]]
        tasks = sum(s["state"]["last_seq"] for s in streams if s["name"].endswith("_work"))
        return counts["in_msgs"] + counts["out_msgs"], counts["in_bytes"] + counts["out_bytes"], tasks

    def address(self, port=None):
        return f"nats://{self.host}:{port or self.port}"


class Link:
    """A link to the server that can be cut: nothing arrives, and nobody is told."""

    def __init__(self, port):
        self.target, self.is_cut = port, False
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            here, _ = self.listener.accept()
            try:
                there = socket.create_connection(("127.0.0.1", self.target))
            except OSError:
                here.close()
                continue
            for source, sink in ((here, there), (there, here)):
                threading.Thread(target=self.pump, args=(source, sink), daemon=True).start()

    def pump(self, source, sink):
        try:
            while data := source.recv(1 << 16):
                while self.is_cut:
                    time.sleep(0.05)
                sink.sendall(data)
        except OSError:
            pass
        source.close(), sink.close()


class Workers:
    """Worker processes, and the CPU seconds of all that there were."""

    def __init__(self, pedra):
        self.pedra, self.processes, self.cpu, self.lock = pedra, [], 0.0, threading.Lock()

    def start(self, address, within=()):
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        words = [*within, self.pedra, "worker", "--cluster", address]
        with self.lock:
            self.processes.append(subprocess.Popen(words, stdin=subprocess.DEVNULL, **quiet))
            STARTED.append(self.processes[-1])

    def end(self, process, number):
        # Not `send_signal`: it may collect a process that has ended, and its CPU seconds would be lost.
        os.kill(process.pid, number)
        os.kill(process.pid, signal.SIGCONT)
        self.cpu += cpu(os.wait4(process.pid, 0)[2])
        process.returncode = 0
        self.processes.remove(process)

    def end_all(self):
        for process in list(self.processes):
            self.end(process, signal.SIGTERM)


def question(args, model):
    """One thread, as a worker has: more threads would be more engines."""
    return [args.pedra, "check", "--json", "--threads", "1", "--engine", args.engine, "--timeout", args.timeout, model]


def local(args):
    """Verdicts and CPU seconds of one process for each model."""
    found, seconds = {}, 0.0
    for model in args.models:
        out, _, _, used = run(question(args, model))
        found[model], seconds = dict(verdicts(out)), seconds + used
    return found, seconds


def ask(args, address, model):
    """Asks; once more if the server was not there at the start, which is an error without any verdict."""
    words = question(args, model) + ["--cluster", address]
    while True:
        out, err, code, used = run(words)
        if code != 2 or verdicts(out):
            return out, err, code, used
        print(f"not started: {err.strip()}", file=sys.stderr)
        time.sleep(0.5)


def compare(model, expected, told, err=""):
    """Counts properties by what became of them; ends the program if one is wrong or told twice."""
    counts = {"settled": 0, "unknown": 0}
    if len(told) != len({p for p, _ in told}) or {p for p, _ in told} != set(expected):
        sys.exit(f"WRONG: {model}: a property was lost or told twice: {told}\n{err}")
    for number, verdict in told:
        if "unknown" not in (verdict, expected[number]) and verdict != expected[number]:
            sys.exit(f"WRONG: {model}: property {number} is {expected[number]}, told {verdict}")
        counts["unknown" if verdict == "unknown" else "settled"] += 1
    return counts


def throughput(args):
    expected, alone = local(args)
    count = sum(len(found) for found in expected.values())
    settled = sum(v != "unknown" for found in expected.values() for v in found.values())
    print(f"{len(args.models)} models, {count} properties; CPU seconds of all processes")
    print("| | settled | CPU | of it workers | askers | server | to one process | wall |")
    print("|---|---|---|---|---|---|---|---|")
    costs = []
    print(f"| one process | {settled} | {alone:.1f} | | | | 1.00 | |")
    for number in args.workers:
        with tempfile.TemporaryDirectory() as folder:
            server, workers = Server(folder), Workers(args.pedra)
            start = time.time()
            for _ in range(number):
                workers.start(server.address())
            askers, done = 0.0, 0
            with concurrent.futures.ThreadPoolExecutor(args.askers) as pool:
                results = pool.map(lambda model: ask(args, server.address(), model), args.models)
                for model, (out, _, _, used) in zip(args.models, results):
                    done += compare(model, expected[model], verdicts(out))["settled"]
                    askers += used
            wall = time.time() - start
            messages, transferred, tasks = server.traffic()
            workers.end_all()
            server.kill()
            total = askers + workers.cpu + server.cpu
            print(f"| {number} workers | {done} | {total:.1f} | {workers.cpu:.1f} | {askers:.1f} "
                  f"| {server.cpu:.1f} | {total / alone:.2f} | {wall:.0f} |", flush=True)
            costs.append(f"{number} workers: {tasks} tasks; each {messages / tasks:.0f} messages, "
                         f"{transferred / tasks / 1024:.0f} KiB, {1000 * server.cpu / tasks:.1f} ms of the server, "
                         f"{1000 * (total - alone) / tasks:.1f} ms more than one process")
    print("", *costs, sep="\n")


def chaos(args):
    expected, _ = local(args)
    chance, stop = random.Random(args.seed), threading.Event()
    happened = {"killed": 0, "hung": 0, "cut": 0, "restarted": 0}
    with tempfile.TemporaryDirectory() as folder:
        server, workers = Server(folder), Workers(args.pedra)
        link = Link(server.port)
        for number in range(args.workers[-1]):
            workers.start(server.address(link.port if number % 2 else None))

        def trouble():
            restarts = 0
            while not stop.wait(chance.uniform(0.5, 2 * args.every)):
                what = chance.choice(["killed", "killed", "hung", "cut"])
                if restarts < 2 and chance.random() < 0.2:
                    restarts, what = restarts + 1, "restarted"
                happened[what] += 1
                if what == "killed" and workers.processes:
                    workers.end(chance.choice(workers.processes), signal.SIGKILL)
                    workers.start(server.address(chance.choice([None, link.port])))
                elif what == "hung" and workers.processes:
                    process = chance.choice(workers.processes)
                    os.kill(process.pid, signal.SIGSTOP)
                    stop.wait(chance.uniform(1, 20))
                    os.kill(process.pid, signal.SIGCONT)
                elif what == "cut":
                    link.is_cut = True
                    stop.wait(chance.uniform(1, 20))
                    link.is_cut = False
                elif what == "restarted":
                    server.kill()
                    time.sleep(chance.uniform(0, 3))
                    server.start()

        troubles = threading.Thread(target=trouble, daemon=True)
        troubles.start()
        total = {"settled": 0, "unknown": 0}
        jobs = [args.models[i % len(args.models)] for i in range(args.jobs)]
        # Half of the askers are behind the link that is cut, too.
        ports = [chance.choice([None, link.port]) for _ in jobs]
        with concurrent.futures.ThreadPoolExecutor(args.askers) as pool:
            results = pool.map(lambda job, port: ask(args, server.address(port), job), jobs, ports)
            for model, (out, err, _, _) in zip(jobs, results):
                if "not accepted" in err:
                    sys.exit(f"WRONG: {model}: an honest worker was not believed: {err}")
                for name, number in compare(model, expected[model], verdicts(out), err).items():
                    total[name] += number
        stop.set()
        troubles.join()
        workers.end_all()
        server.kill()
    known = sum(v != "unknown" for m in jobs for v in expected[m].values())
    print(f"{len(jobs)} jobs: {total['settled']} properties settled of {known} that one process settles, "
          f"{total['unknown']} unknown, none wrong, none told twice")
    print("workers killed {killed}, hung {hung}; link cut {cut}; server restarted {restarted}".format(**happened))


NAMESPACE, VETH, NEAR, FAR = "pedra-worker", "pedra0", "10.231.7.1", "10.231.7.2"


def ip(words, check=True):
    """Runs `ip`."""
    subprocess.run(["ip", *words.split()], check=check, stderr=None if check else subprocess.DEVNULL)


def namespaces(args):
    """Asks while the link to the only worker, which has a network of its own, goes down for a while."""
    expected, _ = local(args)
    remove = [f"netns del {NAMESPACE}", f"link del {VETH}"]
    for words in remove:
        ip(words, check=False)
    atexit.register(lambda: [ip(words, check=False) for words in remove])
    for words in (f"netns add {NAMESPACE}", f"link add {VETH} type veth peer name {VETH}p",
                  f"link set {VETH}p netns {NAMESPACE}", f"addr add {NEAR}/30 dev {VETH}", f"link set {VETH} up",
                  f"-n {NAMESPACE} addr add {FAR}/30 dev {VETH}p", f"-n {NAMESPACE} link set {VETH}p up"):
        ip(words)
    with tempfile.TemporaryDirectory() as folder:
        server, workers = Server(folder, NEAR), Workers(args.pedra)
        workers.start(server.address(), ["ip", "netns", "exec", NAMESPACE])
        for model in args.models:
            for seconds in args.cuts:
                start = time.time()
                with concurrent.futures.ThreadPoolExecutor(1) as pool:
                    asked = pool.submit(ask, args, server.address(), model)
                    time.sleep(args.after)
                    is_early = asked.done()
                    ip(f"link set {VETH} down")
                    time.sleep(seconds)
                    ip(f"link set {VETH} up")
                    out, err, _, _ = asked.result()
                counts = compare(model, expected[model], verdicts(out), err)
                note = ", BEFORE THE CUT" if is_early else ""
                print(f"{model}: link down for {seconds:.0f} s after {args.after:.0f} s; {counts['settled']} settled, "
                      f"{counts['unknown']} unknown, after {time.time() - start:.0f} s{note}", flush=True)
        workers.end_all()
        server.kill()


def end_now(*_):
    """Ends at once: threads wait for processes, and hold their locks."""
    for process in STARTED:
        if process.returncode is None:
            os.kill(process.pid, signal.SIGKILL)
    os._exit(1)


def main():
    signal.signal(signal.SIGTERM, end_now)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["throughput", "chaos", "namespaces"])
    parser.add_argument("pedra")
    parser.add_argument("models", nargs="+")
    parser.add_argument("--workers", type=lambda t: [int(n) for n in t.split(",")], default=[1, 2, 4])
    parser.add_argument("--askers", type=int, default=2, help="how many askers there are at a time")
    parser.add_argument("--jobs", type=int, default=200, help="chaos: how many questions are asked")
    parser.add_argument("--every", type=float, default=4, help="chaos: seconds between two faults, on average")
    parser.add_argument("--cuts", type=lambda t: [float(n) for n in t.split(",")], default=[5, 40],
                        help="namespaces: for how many seconds the link is down, one after the other")
    parser.add_argument("--after", type=float, default=2, help="namespaces: seconds before the link goes down")
    parser.add_argument("--timeout", default="120s", help="of each question")
    parser.add_argument("--engine", default="auto", help="with auto, idle workers try further engines beside it: CPU "
                        "seconds compare the queue itself with one process only if one engine is named")
    parser.add_argument("--seed", type=int, default=0, help="chaos: of the faults")
    args = parser.parse_args()
    {"throughput": throughput, "chaos": chaos, "namespaces": namespaces}[args.what](args)


if __name__ == "__main__":
    main()
