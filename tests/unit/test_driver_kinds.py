# SPDX-License-Identifier: GPL-3.0-or-later
"""Healthy machines of every kind pass checkpoint 1 without a word; what can't be seen is unknown, never a fault.

Each kind is what its probe would record, made by hand after public facts. The bases of tests/evidence have more.
"""

from __future__ import annotations

import typing as t

import pytest
from cases import base

from ansible_collections.gpu.k8s.plugins.module_utils._chain import Judgement, status_of
from ansible_collections.gpu.k8s.plugins.module_utils._evidence.host import HostLook
from ansible_collections.gpu.k8s.plugins.module_utils._judge.driver import judge_driver

Records = dict[str, t.Any]
HEALTHY: Records = base("healthy-hgx-h100")["driver"]["records"]
UUID = "GPU-bf634c48-01d3-9435-2006-15c379454392"
NO_FILE = (1, "")
NOT_FOUND = (127, "")

HEALTH = ",".join(
    (
        "uuid,mig.mode.current,mig.mode.pending,compute_mode,persistence_mode",
        "ecc.errors.uncorrected.volatile.total,retired_pages.pending,remapped_rows.pending,remapped_rows.failure",
    )
)
ONE_GPU = {
    "nvidia_smi_health": f"{UUID}, [N/A], [N/A], Default, Enabled, [N/A], [N/A], [N/A], [N/A]\n",
    "nvidia_smi_recovery": f"{UUID}, N/A, N/A, None\n",
    "driver_processes": "nvidia-persiste 801\n",
    "kernel_log": "journal of this boot\nNVRM: loading NVIDIA UNIX Open Kernel Module\n",
    "fabric_manager_version": None,
}
NODES = """\
crw-rw-rw- 1 0 0 195,   0 Nov 30 11:19 {0}/nvidia0
crw-rw-rw- 1 0 0 195, 255 Nov 30 11:19 {0}/nvidiactl
crw-rw-rw- 1 0 0 510,   0 Nov 30 11:19 {0}/nvidia-uvm
"""


def on_the_bus(address: str, device: str, name: str, version: str, memory: str, pci_class: str = "0x030200") -> Records:
    """One GPU on the PCI bus, its module and its library."""
    folder = "/usr/lib/x86_64-linux-gnu"
    library = "{0}/{1}.so.1 -> {0}/{1}.so.{2}\n{0}/{1}.so.{2}\n"
    return ONE_GPU | {
        "pci_devices": f"{address} vendor=0x10de device={device} class={pci_class} driver=nvidia function=physical\n",
        "module_version": f"{version}\n",
        "module_on_disk": f"version: {version}\n",
        "gpus_in_kernel": f"{address}\nDevice Minor: \t 0\nGPU Excluded:\t No\n",
        "device_nodes": NODES.format("/dev"),
        "device_nodes_after": NODES.format("/dev"),
        "nvml_libraries": library.format(folder, "libnvidia-ml", version),
        "cuda_libraries": library.format(folder, "libcuda", version),
        "nvidia_smi_list": f"GPU 0: {name} (UUID: {UUID})\n",
        "nvidia_smi_query": f"0, {UUID}, 0000{address.upper()}, {name}, {version}, {memory}\n",
    }


def by(command: str, records: Records) -> Records:
    """The same, with nvidia-smi started by other words."""
    commands = {name: HEALTHY[name]["command"].replace("nvidia-smi", command, 1) for name in records if "_smi_" in name}
    return records | {name: (0, records[name], command) for name, command in commands.items() if records[name]}


H100 = on_the_bus("0000:19:00.0", "0x2330", "NVIDIA H100 80GB HBM3", "570.133.20", "81559 MiB")
L40S = on_the_bus("0000:19:00.0", "0x26b9", "NVIDIA L40S", "550.163.01", "46068 MiB")

KINDS: dict[str, Records] = {
    "a consumer's card at an open desktop": on_the_bus(
        "0000:01:00.0", "0x2684", "NVIDIA GeForce RTX 4090", "570.133.07", "24564 MiB", "0x030000"
    ),
    "a machine with a display adapter of another vendor": L40S
    | {
        "pci_devices": L40S["pci_devices"]
        + "0000:02:00.0 vendor=0x1a03 device=0x2000 class=0x030000 driver=ast function=physical\n"
    },
    "DGX Spark: one memory for all, so that the GPU has no number for it": on_the_bus(
        "000f:01:00.0", "0x2e12", "NVIDIA GB10", "580.95.05", "[N/A]"
    ),
    "Grace Hopper": on_the_bus("0009:01:00.0", "0x2342", "NVIDIA GH200 480GB", "575.57.08", "97871 MiB"),
    "NVSwitches of A100, which know nothing of a fabric state": {
        "nvidia_smi_recovery": (2, 'Field "gpu_recovery_action" is not a valid field to query.\n'),
        "nvidia_smi_fabric": (2, 'Field "fabric.state" is not a valid field to query.\n'),
    },
    "NVLink switched off on purpose": {
        "driver_processes": "nvidia-persiste 2211\n",
        "module_parameters": "NvLinkDisable: 1\n",
        "nvidia_smi_recovery": None,
    },
    "a slice of a large machine, whose fabric is complete": H100
    | {"nvidia_smi_recovery": f"{UUID}, Completed, Success, None\n"},
    "a driver too old for all but the basic fields": L40S
    | {
        name: (2, f'Field "{field}" is not a valid field to query.\n')
        for name, field in (
            ("nvidia_smi_health", "mig.mode.current"),
            ("nvidia_smi_recovery", "fabric.state"),
            ("nvidia_smi_fabric", "fabric.state"),
        )
    },
    "MIG with instances": H100
    | {
        "nvidia_smi_list": f"GPU 0: NVIDIA H100 80GB HBM3 (UUID: {UUID})\n"
        "  MIG 3g.40gb     Device  0: (UUID: MIG-5f0cd8ab-9b6c-5e2c-a7a0-7a4dbe1e4b63)\n"
        "  MIG 3g.40gb     Device  1: (UUID: MIG-6dd2c4c2-8a57-5b49-9a47-4c4a3a3cbd0c)\n",
        "nvidia_smi_health": f"{UUID}, Enabled, Enabled, Default, Enabled, 0, [N/A], [N/A], [N/A]\n",
    },
    "a module that only nvidia-smi has loaded": H100
    | {"module_version": NO_FILE, "module_version_after": "570.133.20\n", "gpus_in_kernel": NO_FILE},
    "unified memory without HMM, as it has to be since it failed with it": H100
    | {
        "kernel_log": "dmesg, from boot on\n[ 9.1] nvidia-uvm: uvm_pmm_gpu.c:3176 request_free_mem_region() err -34\n",
        "uvm_disable_hmm": "Y\n",
    },
    "memory errors of long ago, remapped and counted": H100
    | {"nvidia_smi_health": f"{UUID}, Disabled, Disabled, Default, Enabled, 0, [N/A], No, No\n"},
    "a virtual GPU with its licence": on_the_bus(
        "0000:02:00.0", "0x20b5", "GRID A100-40C", "550.144.03", "40960 MiB", "0x030000"
    )
    | {"nvidia_smi_details": "  vGPU Software Licensed Product\n      License Status  : Licensed (Expiry: 2027-1-1)\n"},
    "a host whose GPU has virtual functions for machines": L40S
    | {
        "pci_devices": L40S["pci_devices"]
        + "0000:19:00.4 vendor=0x10de device=0x26b9 class=0x030200 driver=nvidia function=virtual\n"
    },
    "the operator's driver container, with nothing on the host": by(
        "chroot /run/nvidia/driver nvidia-smi",
        L40S
        | {
            "module_on_disk": NO_FILE,
            "device_nodes": NODES.format("/run/nvidia/driver/dev"),
            "device_nodes_after": NODES.format("/run/nvidia/driver/dev"),
            "nvml_libraries": L40S["nvml_libraries"].replace("/usr/lib", "/run/nvidia/driver/usr/lib"),
        },
    ),
    "the operator's driver container, and an old library on the host": by(
        "chroot /run/nvidia/driver nvidia-smi",
        L40S
        | {
            "nvml_libraries": L40S["nvml_libraries"].replace("/usr/lib", "/run/nvidia/driver/usr/lib")
            + L40S["nvml_libraries"].replace("550.163.01", "470.256.02"),
        },
    ),
    "Container-Optimized OS": by(
        "env LD_LIBRARY_PATH=/home/kubernetes/bin/nvidia/lib64 /home/kubernetes/bin/nvidia/bin/nvidia-smi",
        L40S
        | {
            "nvml_libraries": L40S["nvml_libraries"].replace(
                "/usr/lib/x86_64-linux-gnu", "/home/kubernetes/bin/nvidia/lib64"
            ),
        },
    ),
    "WSL": {
        **dict.fromkeys(HEALTHY),
        "platform": "Linux version 6.6.87.2-microsoft-standard-WSL2 (root@builder)\n/dev/dxg\n",
        "pci_devices": "8a1f:00:00.0 vendor=0x1414 device=0x008e class=0x030200 driver=dxgkrnl function=physical\n",
        "loaded_modules": "",
        "module_version": NO_FILE,
        "device_nodes": "",
        "device_nodes_after": "",
        "kernel_log": (1, ""),
        "nvidia_smi_list": f"GPU 0: NVIDIA GeForce RTX 4080 (UUID: {UUID})\n",
        "nvidia_smi_query": f"0, {UUID}, 00000000:01:00.0, NVIDIA GeForce RTX 4080, 576.88, 16376 MiB\n",
        "nvidia_smi_health": (3, "N/A\n"),
    },
    "Jetson Orin, whose nvidia-smi knows little": {
        **dict.fromkeys(HEALTHY),
        "platform": "Linux version 5.15.148-tegra (builder)\n/sys/devices/soc0/family: Tegra\n/dev/nvhost-gpu\n",
        "pci_devices": "",
        "loaded_modules": "nvidia\nnvgpu\n",
        "module_version": "540.4.0\n",
        "device_nodes_after": "crw-rw-rw- 1 0 0 195, 255 Nov 30 11:19 /dev/nvidiactl\n",
        "nvidia_smi_list": f"GPU 0: Orin (nvgpu) (UUID: {UUID.removeprefix('GPU-')})\n",
        "nvidia_smi_query": f"0, {UUID}, N/A, Orin (nvgpu), 540.4.0, [N/A]\n",
    },
    "Jetson Xavier, which has no nvidia-smi": {
        **dict.fromkeys(HEALTHY),
        "platform": "Linux version 5.10.216-tegra (builder)\n/etc/nv_tegra_release: # R35\n/dev/nvhost-ctrl-gpu\n",
        "pci_devices": "",
        "loaded_modules": "nvgpu\n",
        "module_version": NO_FILE,
        "nvidia_smi_list": NOT_FOUND,
    },
}


def records_of(changes: Records) -> Records:
    """A healthy machine's records of which some differ: None takes one away, a tuple has its exit code."""
    records: Records = {}
    for name in (*HEALTHY, *changes):
        record: Records = {"stdout": "", "stderr": "", "seconds": 0.1, "timed_out": False, "cut_off": False}
        record |= HEALTHY.get(name, {"command": f"look at {name}", "exit_code": 0})
        change = changes.get(name, record["stdout"])
        if isinstance(change, tuple):
            record |= dict(zip(("exit_code", "stdout", "command"), change, strict=False))
        else:
            record["stdout"] = change
        if change is not None:
            records[name] = record
    return records


def judged(changes: Records, **look: t.Any) -> Judgement:
    return judge_driver(HostLook(records=records_of(changes), **look), "node1")


@pytest.mark.parametrize("kind", KINDS)
def test_a_healthy_machine_passes_without_a_word(kind: str) -> None:
    judgement = judged(KINDS[kind])
    assert not judgement.findings
    assert judgement.seen


def test_what_nvidia_smi_is_started_with_is_in_the_proof() -> None:
    seen = judged(KINDS["the operator's driver container, with nothing on the host"]).seen
    assert seen == "1 of 1 GPUs (NVIDIA L40S), driver 550.163.01, by chroot /run/nvidia/driver nvidia-smi"


def test_wsl_has_no_bus_to_count_by() -> None:
    assert judged(KINDS["WSL"]).seen == "1 GPUs (NVIDIA GeForce RTX 4080) by way of /dev/dxg, driver 576.88"


ORDINARY = {"user": "uid=1001(alice) gid=1001(alice) groups=1001(alice)\n"}


def test_an_ordinary_user_may_see_enough() -> None:
    judgement = judged(ORDINARY | {"kernel_log": (1, "")})
    assert [f.code for f in judgement.findings] == ["DRV038"]
    assert judgement.seen


@pytest.mark.parametrize(
    "changes",
    [
        {"nvidia_smi_list": (4, "Failed to initialize NVML: Insufficient Permissions\n")},
        {"nvidia_smi_list": (9, "NVIDIA-SMI has failed\n"), "device_nodes_after": ""},
        {"nvidia_smi_list": (125, "", "chroot /run/nvidia/driver nvidia-smi -L")},
        {"nvidia_smi_list": (126, "")},
        {"nvidia_smi_health": f"{UUID}, Enabled, Enabled, Default, Enabled, 0, [N/A], [N/A], [N/A]\n"},
    ],
)
def test_what_an_ordinary_user_may_not_see_is_unknown(changes: Records) -> None:
    judgement = judged(ORDINARY | changes)
    assert {f.code for f in judgement.findings if f.status != "warning"} == {"DRV010"}
    assert status_of(judgement) == "unknown"


def test_the_user_may_leave_gpus_out() -> None:
    """One GPU of eight is given to virtual machines, and seven are expected."""
    changes = {
        "pci_devices": HEALTHY["pci_devices"]["stdout"].replace(
            "0000:db:00.0 vendor=0x10de device=0x2330 class=0x030200 driver=nvidia",
            "0000:db:00.0 vendor=0x10de device=0x2330 class=0x030200 driver=vfio-pci",
        ),
        "nvidia_smi_list": HEALTHY["nvidia_smi_list"]["stdout"].rpartition("GPU 7")[0],
        "gpus_in_kernel": HEALTHY["gpus_in_kernel"]["stdout"].rpartition("0000:db")[0].rpartition("0000:db")[0],
    }
    assert [f.code for f in judged(changes).findings] == ["DRV015"]
    assert not judged(changes, expect={"gpus": 7}).findings
    assert [f.code for f in judged({}, expect={"gpus": 7}).findings] == ["DRV043"]


def test_a_tegra_without_its_module_is_broken() -> None:
    changes = KINDS["Jetson Xavier, which has no nvidia-smi"] | {"loaded_modules": ""}
    assert [f.code for f in judged(changes).findings] == ["DRV005"]


@pytest.mark.parametrize("kind", [*KINDS, "eight GPUs"])
def test_a_probe_that_ended_early_proves_nothing_and_blames_nobody(kind: str) -> None:
    """Take away each tail of the records, as a budget that is used up does."""
    names = list(HEALTHY)
    for kept in range(len(names)):
        changes = KINDS.get(kind, {}) | dict.fromkeys(names[kept:])
        changes = {name: change for name, change in changes.items() if name in names}
        judgement = judged(changes, kind="incomplete", error="the probe's 60 s were used up")
        assert status_of(judgement) == "unknown", names[kept]
        assert judgement.seen is None


def test_a_group_of_fields_that_hangs_is_a_driver_that_does_not_answer() -> None:
    judgement = judged({"nvidia_smi_health": (None, "")})
    assert [f.code for f in judgement.findings] == ["DRV008"]
