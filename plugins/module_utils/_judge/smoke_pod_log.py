# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Checkpoint 6: what the log of a smoke Pod proves, and what it says when the command failed."""

from __future__ import annotations

import re
import typing as t
from collections.abc import Iterator, Mapping, Sequence

from .._catalogue import found
from .._chain import Finding
from .._evidence.smoke_pod import PodEnd, SmokeLog, end_of, log_of
from .smoke_pod_start import what_it_asked_for

PodEvidence = Mapping[str, t.Any]

# Words of nvidia-smi and CUDA that mean an error, whatever the exit code. Banners of images have none of these.
_FAILURES = re.compile(
    r"ERR!|Unknown Error|GPU is lost|requires reset|Failed to initialize NVML|No devices were found|"
    r"No supported GPUs were found|couldn't communicate with the NVIDIA driver|couldn't find libnvidia-ml|"
    r"Unable to determine the device handle|infoROM is corrupted|NVIDIA Driver was not detected|"
    r"CUDA failed to initialize|CUDA unknown error|CUDA driver version is insufficient|no kernel image is available|"
    r"system not yet initialized|busy or unavailable|Failed to allocate device vector|"
    r"Failed to launch \w+ kernel|Result verification failed|Result = FAIL|executable file not found|"
    r"exec format error",
    re.IGNORECASE,
)
# What stands in a log's place when the kubelet has none.
_NO_LOG = re.compile(r"^(unable to retrieve container logs for|failed to try resolving symlinks in path) ")
_NOT_FOUND = re.compile(r"nvidia-smi.*not found", re.IGNORECASE)
_NO_PERMISSION = 4  # of nvidia-smi (nvml.h, nvmlReturn_t)


def why_it_failed(evidence: PodEvidence, which: str, end: PodEnd, image: str) -> Finding:
    """The command ended with another exit code than 0."""
    text, pointers = evidence.get("log") or "", (f"{which}_pod.pod", f"{which}_pod.log")
    log, code = log_of(evidence), end.container.exit_code
    if re.search(r"exec format error", text):
        return found("SMK028", *pointers, which=which, image=image, reason=f"exit code {code}: exec format error")
    if not log.whole and evidence.get("nonce"):
        reason = f"exit code {code} ({end.container.reason or 'no reason'}) before its command had finished"
        return found("SMK011", pointers[0], which=which, reason=reason)
    says = log.said[-1] if log.said else "(nothing more in its log)"
    if end.runtime_class and not log.handed and any(_NOT_FOUND.search(line) for line in log.said):
        return found("TKT003", *pointers, asked=what_it_asked_for(which, end), seen=f"no nvidia-smi ({says})")
    if code == _NO_PERMISSION and log.devices and end.user:
        return found("SMK040", *pointers, user=end.user, says=says)
    return found("SMK007", *pointers, exit_code=code, says=says)


def log_is_there(evidence: PodEvidence, which: str) -> Iterator[Finding]:
    """The log was read, and holds both lines with the Pod's own nonce, and what the user says that it must hold."""
    pattern = evidence.get("pass_pattern")
    framed = log_of(evidence).whole or (pattern and not evidence.get("nonce"))
    if not framed or (pattern and not re.search(pattern, evidence.get("log") or "")):
        code = end_of(evidence).container.exit_code
        where = "log_error" if evidence.get("log_error") else "log"
        yield found("SMK010", f"{which}_pod.{where}", which=which, exit_code=code, defect=_defect(evidence))


def _defect(evidence: PodEvidence) -> str:
    log, left = evidence.get("log") or "", end_of(evidence).container.message
    nonce = evidence.get("nonce")
    also = "; only its termination message tells of that exit code" if nonce and nonce in left else ""
    if evidence.get("log_error"):
        return f"could not be read: {evidence['log_error']}{also}"
    if _NO_LOG.match(log):
        return f"is an error in its place: {log.strip()}{also}"
    if not log:
        return f"is empty{also}"
    if evidence.get("pass_pattern"):
        return f"does not match pass_pattern{also}"
    cut = ", since only its beginning was read" if evidence.get("log_cut_off") else ""
    return f"lacks the lines that frame it{cut}{also}"


def log_proves(smoke: PodEvidence, pointer: str, resource: str, host_uuids: Sequence[str] | None) -> Iterator[Finding]:
    """As many GPUs as asked for, those that were allocated, known to the host, and no word of an error."""
    log, end = log_of(smoke), end_of(smoke)
    token = failure_in(smoke.get("log") or "", smoke.get("fail_pattern"))
    if token:
        yield found("SMK012", f"{pointer}.log", says=token)
        return
    asked = int(smoke.get("asked", 1))
    whole_gpus = resource == "nvidia.com/gpu"
    if not log.handed and smoke.get("pass_pattern"):
        return  # a program that computes need not list its GPUs
    if len(log.handed) != asked or (whole_gpus and not log.migs and len(log.devices) > asked):
        yield found("SMK008", f"{pointer}.log", asked=asked, seen=sight(log))
    devices = (*end.container.allocated, *(end.cuda.allocated if end.cuda else ()))  # of the Pod, one after the other
    allocated = {device for device in devices if device.startswith(("GPU-", "MIG-"))}
    if allocated and allocated != set(log.handed):
        yield found(
            "SMK017", f"{pointer}.pod", f"{pointer}.log", allocated=", ".join(sorted(allocated)), seen=sight(log)
        )
    if host_uuids is not None:
        strangers = [uuid for uuid in log.uuids if uuid.startswith("GPU-") and uuid not in host_uuids]
        if strangers:
            yield found("SMK009", f"{pointer}.log", "driver.nvidia_smi_list", strangers=", ".join(strangers))
    if log.has_libcuda is False or log.has_uvm is False:
        missing = [
            what
            for what, there in (("libcuda.so.1", log.has_libcuda), ("/dev/nvidia-uvm", log.has_uvm))
            if there is False
        ]
        yield found("SMK033", f"{pointer}.log", missing=" and ".join(missing))


def failure_in(log: str, more: str | None = None) -> str | None:
    """Return the first line with a word of an error. It counts wherever it stands: the streams of a log are mixed."""
    lines = (line.strip() for line in log.splitlines())
    return next((line for line in lines if _FAILURES.search(line) or (more and re.search(more, line))), None)


def sight(log: SmokeLog) -> str:
    return ", ".join((*log.uuids, *log.migs, *log.devices)) or "none"
