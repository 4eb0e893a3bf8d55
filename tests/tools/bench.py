#!/usr/bin/env python
# SPDX-License-Identifier: GPL-3.0-or-later
"""Time the two host layers against a hand-written parallel ssh script that sends the same scripts.

    .venv/bin/python tests/tools/bench.py [lab] [loopback]      both by default

``lab`` needs the lab (make lab-up). ``loopback`` needs root and what the lab has built: 50 addresses of one sshd, in a
network namespace of its own. The two sides take turns; what counts is the ratio of their medians. Everything goes to
build/bench/results.json, and the exit status is 1 when a target was missed.
"""

from __future__ import annotations

import json
import os
import secrets
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
import typing as t
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(sys.executable).parent
LAB_CACHE = Path(os.environ.get("LAB_CACHE") or Path.home() / ".cache/gpu-k8s-lab")
RUNS = 5
FORKS = 20
TARGET = 1.3
IMAGE = "docker.io/lab/smoke:1"
LOOPBACK_HOSTS = 50
PORT = 2222

os.environ["ANSIBLE_CONFIG"] = str(ROOT / "ansible.cfg")


class Fleet(t.NamedTuple):
    """Hosts to time, by address. ``prefix`` is the command that the clients are run by."""

    name: str
    addresses: Sequence[str]
    port: int
    key: Path
    known_hosts: Path
    prefix: Sequence[str] = ()


# ---- the two sides


def probe(layer: str) -> str:
    """The script that examine sends."""
    from ansible_collections.gpu.k8s.plugins.module_utils._probe import script

    return script(layer, {"image": IMAGE, "runtime_handler": "nvidia", "nonce": secrets.token_hex(8)})


def by_hand(fleet: Fleet, folder: Path) -> float:
    """One login a host, for both scripts; as many hosts at once as Ansible takes. Returns seconds."""
    for layer in ("driver", "toolkit"):
        (folder / layer).write_text(probe(layer))
    options = ["-F/dev/null", "-oBatchMode=yes", "-oStrictHostKeyChecking=yes", "-oLogLevel=ERROR", f"-p{fleet.port}"]
    options += [f"-oUserKnownHostsFile={fleet.known_hosts}", f"-i{fleet.key}"]
    options += ["-oControlMaster=auto", "-oControlPersist=60", f"-oControlPath={folder}/%C"]
    ssh = shlex.join(["ssh", *options])
    both = " && ".join(
        f"{ssh} root@$0 /bin/sh -s <{folder}/{layer} >{folder}/$0.{layer}" for layer in ("driver", "toolkit")
    )
    began = time.monotonic()
    subprocess.run(
        [*fleet.prefix, "xargs", f"-P{FORKS}", "-n1", "sh", "-c", both],
        input="\n".join(fleet.addresses),
        text=True,
        check=True,
    )
    took = time.monotonic() - began
    for output in folder.glob("*.toolkit"):
        if "@gpu.k8s complete" not in output.read_text():
            sys.exit(f"{fleet.name}: {output.stem} did not answer")
    return took


def by_ansible(fleet: Fleet, folder: Path) -> tuple[float, float]:
    """Return the seconds of the two tasks on all hosts, and those of the whole command."""
    tasks = [{"gpu.k8s.examine": {"layer": "driver"}}, {"gpu.k8s.examine": {"layer": "toolkit", "image": IMAGE}}]
    play = {"hosts": "all", "gather_facts": False, "strategy": "ansible.builtin.host_pinned", "tasks": tasks}
    (folder / "play.yml").write_text(json.dumps([{"name": "Bench", **play}]))
    settings = {
        "ansible_user": "root",
        "ansible_port": fleet.port,
        "ansible_ssh_private_key_file": str(fleet.key),
        "ansible_ssh_common_args": f"-F/dev/null -oUserKnownHostsFile={fleet.known_hosts}",
    }
    hosts: dict[str, t.Any] = dict.fromkeys(fleet.addresses)
    (folder / "hosts.yml").write_text(json.dumps({"all": {"hosts": hosts, "vars": settings}}))
    began = time.monotonic()
    at: dict[str, float] = {}
    command = [BIN / "ansible-playbook", f"--forks={FORKS}", "-i", folder / "hosts.yml", folder / "play.yml"]
    with subprocess.Popen(
        [*fleet.prefix, *command],
        cwd=ROOT,
        env=os.environ | {"ANSIBLE_SSH_CONTROL_PATH_DIR": str(folder)},
        stdout=subprocess.PIPE,
        text=True,
    ) as running:
        lines = []
        for line in t.cast(t.IO[str], running.stdout):
            lines.append(line)
            for words in ("PLAY [Bench]", "PLAY RECAP"):
                if line.startswith(words):
                    at[words] = time.monotonic()
    if running.returncode != 0 or sum("unreachable=0" in line for line in lines) != len(fleet.addresses):
        sys.exit("".join(lines[-40:]))
    return at["PLAY RECAP"] - at["PLAY [Bench]"], time.monotonic() - began


@contextmanager
def fresh_folder(fleet: Fleet) -> Iterator[Path]:
    """A folder for one run, so that each run logs in anew; its connections are ended with it."""
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        try:
            yield Path(folder)
        finally:
            for socket in Path(folder).iterdir():
                if socket.is_socket():
                    end = ["ssh", "-F/dev/null", "-oLogLevel=QUIET", f"-oControlPath={socket}", "-Oexit", "x"]
                    subprocess.run([*fleet.prefix, *end], stderr=subprocess.DEVNULL, check=False)


def figures_of(fleet: Fleet) -> list[dict[str, t.Any]]:
    hand, layers, whole = [], [], []
    for number in range(RUNS):
        with fresh_folder(fleet) as folder:
            hand.append(by_hand(fleet, folder))
        with fresh_folder(fleet) as folder:
            tasks, command = by_ansible(fleet, folder)
            layers.append(tasks)
            whole.append(command)
        print(
            f"{fleet.name} {number + 1}/{RUNS}: by hand {hand[-1]:.2f} s, driver and toolkit {layers[-1]:.2f} s,"
            f" whole command {whole[-1]:.2f} s",
            flush=True,
        )
    by, tasks, command = (statistics.median(times) for times in (hand, layers, whole))
    hosts = f"{len(fleet.addresses)} {fleet.name} hosts"
    return [
        _figure(f"parallel ssh by hand, {hosts}", by, "s"),
        _figure(f"driver and toolkit layers, {hosts}", tasks, "s"),
        _figure(f"the same with the start of ansible-playbook, {hosts}", command, "s"),
        _figure(f"driver and toolkit layers / by hand, {hosts}", tasks / by, "ratio", TARGET),
        _figure(f"with the start of ansible-playbook / by hand, {hosts}", command / by, "ratio", TARGET),
    ]


def _figure(name: str, value: float, unit: str, target: float | None = None) -> dict[str, t.Any]:
    met = None if target is None else value <= target
    return {"figure": name, "value": round(value, 3), "unit": unit, "target": target, "met": met}


# ---- the hosts


@contextmanager
def lab() -> Iterator[Fleet]:
    run = LAB_CACHE / "run"
    if not (run / "ssh/known_hosts").exists():
        sys.exit("the lab is not up: make lab-up")
    nodes = (run / "lab.env").read_text().partition("LAB_NODE_TABLE='")[2]
    addresses = [line.split()[2] for line in nodes.splitlines() if len(line.split()) > 2]
    yield Fleet("lab", addresses, 22, run / "ssh/id", run / "ssh/known_hosts")


SERVER = """
set -eu
ip link set lo up
mount -t tmpfs tmpfs /mnt
mkdir -p /mnt/upper /mnt/work /mnt/root
mount -t overlay overlay -o "lowerdir=$ROOTFS,upperdir=/mnt/upper,workdir=/mnt/work" /mnt/root
mount -t proc proc /mnt/root/proc
mount --rbind /sys /mnt/root/sys
mount --rbind /dev /mnt/root/dev
mkdir -p /mnt/root/run/sshd /mnt/root/root/.ssh
cp "$KEYS/client.pub" /mnt/root/root/.ssh/authorized_keys
install -m 600 "$KEYS/server" /mnt/root/etc/ssh/bench_key
exec chroot /mnt/root /usr/sbin/sshd -D -e -f /dev/null -h /etc/ssh/bench_key -o Port="$PORT" -o PidFile=none \
    -o UsePAM=no -o MaxStartups=1000 -o MaxSessions=100 -o LogLevel=ERROR
"""


@contextmanager
def loopback() -> Iterator[Fleet]:
    """One sshd from the lab's root file system, alone in namespaces that end with it."""
    trees = sorted(LAB_CACHE.glob("parts/rootfs-*"), key=lambda tree: tree.stat().st_mtime)
    if os.geteuid() != 0 or not trees:
        sys.exit("loopback needs root, and the lab's root file system: make lab-up builds it")
    with tempfile.TemporaryDirectory(prefix="bench-keys-") as folder:
        keys = Path(folder)
        for name in ("client", "server"):
            subprocess.run(["ssh-keygen", "-qN", "", "-t", "ed25519", "-f", keys / name], check=True)
        (keys / "known_hosts").write_text("* " + (keys / "server.pub").read_text())
        namespaces = ["--net", "--mount", "--propagation=private", "--pid", "--fork", "--kill-child"]
        server = subprocess.Popen(
            ["unshare", *namespaces, "sh", "-c", SERVER],
            env=os.environ | {"ROOTFS": str(trees[-1].resolve()), "KEYS": str(keys), "PORT": str(PORT)},
        )
        try:
            prefix = ["nsenter", f"--net=/proc/{server.pid}/ns/net", "--"]
            addresses = [f"127.0.1.{number}" for number in range(1, LOOPBACK_HOSTS + 1)]
            fleet = Fleet("loopback", addresses, PORT, keys / "client", keys / "known_hosts", prefix)
            _wait_until_it_listens(fleet, server)
            yield fleet
        finally:
            server.kill()
            server.wait()


def _wait_until_it_listens(fleet: Fleet, server: subprocess.Popen[bytes]) -> None:
    scan = [*fleet.prefix, "ssh-keyscan", "-T1", "-p", str(fleet.port), fleet.addresses[0]]
    for _number in range(50):
        if server.poll() is not None:
            sys.exit(f"sshd ended with exit status {server.returncode}")
        if subprocess.run(scan, capture_output=True, check=False).stdout:
            return
        time.sleep(0.1)
    sys.exit("sshd does not listen")


def main() -> int:
    chosen = sys.argv[1:] or ["lab", "loopback"]
    fleets = {"lab": lab, "loopback": loopback}
    if set(chosen) - set(fleets):
        sys.exit(__doc__)
    from ansible.plugins.loader import init_plugin_loader

    init_plugin_loader()  # so that the collection can be imported
    figures = []
    for name in chosen:
        with fleets[name]() as fleet:
            figures += figures_of(fleet)
    results = ROOT / "build/bench/results.json"
    results.parent.mkdir(parents=True, exist_ok=True)
    results.write_text(json.dumps({"runs": RUNS, "cores": os.cpu_count(), "figures": figures}, indent=1) + "\n")
    for one in figures:
        target = "" if one["target"] is None else f"(target {one['target']}, {'met' if one['met'] else 'MISSED'})"
        print(f"{one['value']:8.2f} {one['unit']:<5} {one['figure']} {target}")
    return 0 if all(one["met"] is not False for one in figures) else 1


if __name__ == "__main__":
    sys.exit(main())
