# SPDX-License-Identifier: GPL-3.0-or-later
"""What is installed, what is kept, and what stands against it: by host, and for the cluster."""

from __future__ import annotations

import typing as t

import pytest
from install import HOSTS, UID, Tree, cluster, host, wish

from ansible_collections.gpu.k8s.plugins.module_utils._install.kernel_module import choose_module
from ansible_collections.gpu.k8s.plugins.module_utils._install.plan import Plan, plan
from ansible_collections.gpu.k8s.plugins.module_utils._install.presence import read_ground

OURS = {"state": "done", "cluster_uid": UID}


def planned(*evidence: Tree, marks: Tree | None = None, seen: t.Any = None, **wishes: t.Any) -> Plan:
    registered = {one["host"]: {"install_marks": marks or {}} for one in evidence}
    return plan(wish(**wishes), seen or cluster(), evidence, registered)


def does(of: Plan) -> dict[str, str]:
    """Return what is done about each component, the first host's and the cluster's."""
    assert not of.refusals, of.text
    steps = [*next(iter(of.hosts.values()), ()), *of.cluster]
    return {step.component: step.does for step in steps}


def against(of: Plan) -> list[tuple[str, str]]:
    return [(refusal.what, refusal.saw) for refusal in of.refusals]


@pytest.mark.parametrize("name", HOSTS)
def test_what_is_there(name: str) -> None:
    told = HOSTS[name]
    assert told["why"]
    assert told["source"]
    ground = read_ground(host(name), {}, cluster())
    assert {component: one.state for component, one in ground.present.items()} == told["says"]
    assert ground.obstacles == ()


# ---- separate components


def test_what_works_is_kept() -> None:
    of = planned(host("healthy"))
    assert does(of) == {"driver": "keep", "toolkit": "keep", "device_plugin": "keep"}
    assert of.text.endswith("There is nothing to install.")


def test_what_is_absent_is_installed() -> None:
    of = planned(host("driver_only"))
    assert does(of) == {"driver": "keep", "toolkit": "install", "device_plugin": "install"}
    assert of.cluster[0].as_result()["nodes"] == ["node1"]
    of = planned(host("nothing"))
    assert does(of) == {"driver": "install", "toolkit": "install", "device_plugin": "install"}
    assert of.hosts["node1"][0].as_result()["module"] == "open"


def test_only_what_was_asked_for() -> None:
    assert does(planned(host("driver_only"), components=("toolkit",))) == {"toolkit": "install"}
    packages = {"driver_packages": ("nvidia-open",), "driver_module": "open", "components": ("driver",)}
    (step,) = planned(host("nothing"), **packages).hosts["node1"]
    assert step.as_result()["packages"] == ["nvidia-open"]


def test_what_was_not_looked_at_comes_later() -> None:
    of = planned(host("nothing_and_toolkit_not_looked_at"))
    assert does(of) == {"driver": "install", "toolkit": "later", "device_plugin": "later"}


def test_a_plugin_of_others_is_left_alone_until_it_can_be_judged() -> None:
    assert does(planned(host("toolkit_missing_under_a_plugin"))) == {
        "driver": "keep",
        "toolkit": "install",
        "device_plugin": "later",
    }


@pytest.mark.parametrize(
    ("name", "component"),
    [("driver_broken", "driver"), ("toolkit_broken", "toolkit"), ("plugin_of_others_is_broken", "device_plugin")],
)
def test_what_others_installed_is_never_replaced(name: str, component: str) -> None:
    ((what, saw),) = against(planned(host(name), components=(component,)))
    assert what == f"node1, {component.replace('_', ' ')}"
    assert saw.startswith("one is there that this collection did not install: ")


@pytest.mark.parametrize(("name", "component"), [("driver_broken", "driver"), ("toolkit_broken", "toolkit")])
def test_what_this_collection_installed_is_mended(name: str, component: str) -> None:
    wanted = {"components": (component,)}
    assert does(planned(host(name), marks={component: OURS}, **wanted)) == {component: "install"}
    moved = {component: {**OURS, "cluster_uid": "another"}}
    assert planned(host(name), marks=moved, **wanted).refusals


def test_what_this_collection_began_is_brought_to_its_end() -> None:
    begun = {"toolkit": {**OURS, "state": "begun"}}
    assert does(planned(host("healthy"), marks=begun))["toolkit"] == "install"
    assert does(planned(host("healthy"), marks={"toolkit": OURS}))["toolkit"] == "keep"


def test_our_own_plugin_is_mended() -> None:
    marked = {"metadata": {"name": "kube-system", "labels": {"gpu.k8s/installed-by": "5d0cbe45"}}}
    marked["metadata"]["creationTimestamp"] = "2026-11-30T13:52:40Z"
    seen = cluster(lists={"namespaces": {"items": [marked]}})
    evidence = host("plugin_of_others_is_broken")
    assert does(planned(evidence, seen=seen, components=("device_plugin",))) == {"device_plugin": "install"}


@pytest.mark.parametrize("name", ["driver_not_listed_in_time", "plugins_not_readable"])
def test_what_can_not_be_told_is_refused(name: str) -> None:
    component = "driver" if "driver" in name else "device_plugin"
    ((_what, saw),) = against(planned(host(name), components=(component,)))
    assert saw.startswith("whether one is there can't be told")


@pytest.mark.parametrize("record", ["module_version", "nvml_libraries", "pci_devices", "module_on_disk"])
def test_a_command_that_hangs_proves_no_absence(record: str) -> None:
    evidence = host("nothing")
    records = evidence["driver"]["records"]
    records[record] = {**records["module_version"], **records.get(record, {}), "exit_code": None, "stdout": ""}
    assert read_ground(evidence, {}, cluster()).present["driver"].state == "not known"


@pytest.mark.parametrize("record", ["loaded_handlers", "handler_files", "host"])
def test_a_command_of_the_runtime_that_hangs_proves_no_absence(record: str) -> None:
    evidence = host("driver_only")
    records = evidence["toolkit"]["records"]
    records[record] = {**records["toolkit_version"], "exit_code": None, "stdout": ""}
    assert read_ground(evidence, {}, cluster()).present["toolkit"].state == "not known"


def test_nothing_is_built_upon_what_does_not_work() -> None:
    ((what, saw),) = against(planned(host("driver_broken"), components=("toolkit",)))
    assert (what, "builds upon does not work" in saw) == ("node1, toolkit", True)
    ((what, _saw),) = against(planned(host("driver_only"), components=("device_plugin",)))
    assert what == "node1, device plugin"
    assert does(planned(host("healthy"), components=("device_plugin",))) == {"device_plugin": "keep"}


def test_an_owner_is_respected() -> None:
    evidence = host("driver_only")
    evidence["kubernetes"]["node"]["status"]["nodeInfo"]["kubeletVersion"] = "v1.33.1+k3s1"
    ((what, saw),) = against(planned(evidence))
    assert what == "node1, toolkit"
    assert saw.startswith("it belongs to k3s: ")
    evidence["expect"]["owner"] = {"toolkit": "nobody"}
    assert does(planned(evidence))["toolkit"] == "install"


def test_an_owner_who_can_not_be_told_is_one() -> None:
    evidence = host("driver_only")
    evidence["kubernetes"]["node"]["metadata"]["labels"]["nvidia.com/gpu.deploy.driver"] = "true"
    evidence["kubernetes"]["objects"]["daemon_sets"] = {"items": None, "error": "forbidden"}
    ((what, saw),) = against(planned(evidence, components=("toolkit",)))
    assert (what, saw[:32]) == ("node1, toolkit", "who owns it is not known: the No")


def test_what_an_owner_makes_work_is_kept() -> None:
    evidence = host("healthy")
    evidence["kubernetes"]["node"]["status"]["nodeInfo"]["osImage"] = "Bottlerocket OS 1.40.0 (aws-k8s-1.32-nvidia)"
    assert set(does(planned(evidence)).values()) == {"keep"}


def test_a_plugin_on_some_hosts_alone() -> None:
    """One that works on one host by a service would get a second beside it."""
    evidence = host("healthy", called="node2")
    evidence["kubernetes"]["objects"]["daemon_sets"]["items"] = []
    evidence["kubernetes"]["hosts"] = ["node2"]
    ((what, _saw),) = against(planned(host("driver_only"), evidence))
    assert what == "node2, device plugin"


# ---- the driver's kernel module

H100, V100, B200, GH200, K80 = 0x2330, 0x1DB6, 0x2901, 0x2342, 0x102D


@pytest.mark.parametrize(
    ("devices", "wanted", "module"),
    [
        ([H100, H100], "auto", "open"),
        ([0x1E00], "auto", "open"),  # the first of Turing
        ([0x1DF6], "auto", "proprietary"),  # the last of Volta
        ([V100], "auto", "proprietary"),
        ([B200], "auto", "open"),
        ([GH200], "auto", "open"),
        ([V100, H100], "auto", "proprietary"),  # both kinds drive the one, one kind the other
        ([V100, B200], "auto", None),
        ([K80], "auto", None),
        ([H100, None], "auto", None),
        ([], "auto", None),
        ([H100], "proprietary", "proprietary"),
        ([B200], "proprietary", None),
        ([GH200], "proprietary", None),
        ([V100], "open", None),
        ([K80], "proprietary", "proprietary"),
        ([None], "open", "open"),
    ],
)
def test_the_kernel_module(devices: list[int | None], wanted: str, module: str | None) -> None:
    assert choose_module(devices, wanted)[0] == module


def bus(device: str, driver: str = "none") -> Tree:
    return {"pci_devices": {"stdout": f"0000:19:00.0 vendor=0x10de device={device} class=0x030200 driver={driver}\n"}}


def test_gpus_that_no_known_module_drives_are_refused() -> None:
    ((what, saw),) = against(planned(host("nothing", **bus("0x102d")), components=("driver",)))
    assert (what, saw) == ("node1, driver", "no kernel module is known for its GPUs (PCI device ids 0x102d)")


def test_gpus_that_were_set_aside_are_refused() -> None:
    ((_what, saw),) = against(planned(host("nothing", **bus("0x2330", "vfio-pci")), components=("driver",)))
    assert saw == "GPUs are held by vfio-pci: they were set aside"


# ---- the host itself


def obstacle(evidence: Tree, said: Tree | None = None) -> str:
    of = plan(wish(), cluster(), [evidence], {"node1": {"install_host": said}})
    assert not of.hosts
    assert {refusal.what for refusal in of.refusals} == {"node1"}
    return of.refusals[0].saw


def test_a_host_that_can_not_be_changed() -> None:
    assert obstacle(host("driver_only"), {"python": "", "user": "0"}) == "it has no Python"
    assert (
        obstacle(host("driver_only"), {"python": "/usr/bin/python3", "user": "1000"}) == "it was not examined as root"
    )
    evidence = host("driver_only")
    evidence["driver"] = {"records": {}, "error": {"kind": "unreachable", "reason": "no route to host"}}
    assert obstacle(evidence) == "no route to host"
    evidence["driver"] = None
    assert obstacle(evidence) == "the driver was not looked at"
    assert obstacle(host("nothing", pci_devices={"stdout": ""})) == "no NVIDIA GPU is on its PCI bus"
    assert obstacle(host("nothing", pci_devices={"exit_code": 1})) == "its PCI bus could not be listed"
    wsl = {"command": "show_platform", "exit_code": 0, "stdout": "/dev/dxg\n", "stderr": ""}
    evidence = host("nothing", pci_devices={"stdout": ""})
    evidence["driver"]["records"]["platform"] = wsl
    assert obstacle(evidence) == "its platform is wsl"


def test_a_host_that_can_be_changed() -> None:
    said = {"python": "/usr/bin/python3", "user": "0"}
    assert not plan(wish(), cluster(), [host("driver_only")], {"node1": {"install_host": said}}).refusals


def test_a_host_that_is_not_its_node() -> None:
    other = host("driver_only", machine_id={"stdout": "00000000000000000000000000000000\n"})
    assert "machine-id" in obstacle(other)
    unknown = host("driver_only")
    unknown["kubernetes"]["node"] = None
    assert "node1" in obstacle(unknown)


# ---- consent


@pytest.mark.parametrize(
    ("differs", "saw"),
    [
        ({"way": ""}, "gpu_k8s_install_way is not set"),
        ({"components": ()}, "gpu_k8s_install_components is empty"),
        ({"disposable": False}, "nobody has said that it may be lost"),
        ({"cluster_uid": ""}, f"gpu_k8s_cluster_uid is not set; this one's is {UID}"),
        ({"cluster_uid": "another"}, f"its UID is {UID}, and gpu_k8s_cluster_uid=another"),
    ],
)
def test_what_the_user_did_not_say(differs: Tree, saw: str) -> None:
    assert [text for _what, text in against(planned(host("driver_only"), **differs))] == [saw]


def test_what_the_cluster_says_against_it() -> None:
    silent = cluster(error="https://192.0.2.1 does not answer.")
    assert ("the cluster", "https://192.0.2.1 does not answer") in against(planned(host("driver_only"), seen=silent))
    nameless = against(planned(host("driver_only"), seen=cluster(uid=None)))
    assert ("the cluster", f"its UID may not be read, and gpu_k8s_cluster_uid={UID}") in nameless
    ((what, saw),) = against(planned(host("driver_only"), seen=cluster(context="prod")))
    assert (what, saw) == ("a sign of production, a name", "the context is prod")


def test_every_refusal_is_told_at_once_and_nothing_else() -> None:
    of = planned(host("toolkit_broken"), disposable=False, seen=cluster(context="prod"))
    assert len(of.refusals) == 3
    lines = of.text.splitlines()
    assert lines[0] == "Nothing is installed. Against it stands:"
    assert [line[:2] for line in lines[1:]] == ["- "] * 3
    assert all("What would have to be true: " in line for line in lines[1:])


OPERATOR = {"metadata": {"name": "gpu-operator", "namespace": "gpu-operator"}}


@pytest.mark.parametrize(
    ("lists", "saw"),
    [
        ({"deployments": {"items": [OPERATOR]}}, "it is there already (Deployment gpu-operator/gpu-operator)"),
        (
            {"cluster_policies": {"items": [{"metadata": {"name": "cluster-policy"}}]}},
            "it is there already (ClusterPolicy cluster-policy)",
        ),
        (
            {"cluster_policies": {"items": None, "error": "forbidden"}},
            "whether it is there can't be told: its ClusterPolicies were not read",
        ),
    ],
)
def test_an_operator_of_others_is_an_owner_everywhere(lists: Tree, saw: str) -> None:
    seen = cluster(lists=lists)
    for way in ("components", "operator"):
        assert ("the GPU Operator", saw) in against(planned(host("driver_only"), seen=seen, way=way))
        assert not planned(host("healthy"), seen=seen, way=way).refusals


# ---- the GPU Operator


def test_the_operator_brings_what_is_missing() -> None:
    of = planned(host("driver_only"), way="operator", components=())
    assert does(of) == {"operator": "install"}
    assert of.hosts == {"node1": ()}
    assert of.values == {
        "driver": {"enabled": False},
        "toolkit": {"enabled": True},
        "devicePlugin": {"enabled": True},
    }
    assert of.cluster[0].because == "it brings toolkit, devicePlugin; the rest is there already"
    assert does(planned(host("healthy"), way="operator")) == {"operator": "keep"}


def test_the_operator_would_change_every_node() -> None:
    evidence = host("driver_only")
    seen = cluster(nodes_without_host=("node9",))
    ((what, saw),) = against(planned(evidence, seen=seen, way="operator"))
    assert (what, saw[:6]) == ("the Nodes", "node9 ")
    assert not planned(evidence, seen=seen).refusals
    assert ("the Nodes", "they could not be listed") in against(
        planned(evidence, seen=cluster(nodes_without_host=None), way="operator")
    )


def test_our_own_operator_is_mended() -> None:
    namespaces = [
        {"metadata": {"name": "gpu-operator", "labels": {"gpu.k8s/installed-by": "5d0cbe45"}}},
        {"metadata": {"name": "kube-system", "labels": None, "creationTimestamp": "2026-11-30T13:52:40Z"}},
    ]
    seen = cluster(lists={"namespaces": {"items": namespaces}, "deployments": {"items": [OPERATOR]}})
    evidence = host("driver_broken")
    evidence["kubernetes"]["node"]["metadata"]["labels"] |= {
        f"nvidia.com/gpu.deploy.{part}": "true" for part in ("driver", "container-toolkit", "device-plugin")
    } | {"feature.node.kubernetes.io/pci-10de.present": "true"}
    evidence["kubernetes"]["objects"]["daemon_sets"]["items"] = [
        {
            "metadata": {"name": f"nvidia-{part}", "namespace": "gpu-operator"},
            "spec": {"nodeSelector": {f"nvidia.com/gpu.deploy.{part}": "true"}, "containers": []},
        }
        for part in ("driver", "container-toolkit", "device-plugin")
    ]
    of = planned(evidence, seen=seen, way="operator")
    assert does(of) == {"operator": "install"}
    assert {name: of.values[name]["enabled"] for name in ("driver", "toolkit", "devicePlugin")} == {
        "driver": True,
        "toolkit": True,
        "devicePlugin": True,
    }
    assert "nfd" not in of.values
    foreign = cluster(lists={"deployments": {"items": [OPERATOR]}})
    assert planned(evidence, seen=foreign, way="operator").refusals
