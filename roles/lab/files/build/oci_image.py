# SPDX-License-Identifier: GPL-3.0-or-later
"""Write an OCI image archive from tar layers, without a container engine or a registry."""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import pathlib
import platform
import tarfile
from typing import Any

ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
MEDIA_TYPE = "application/vnd.oci.image."


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def descriptor(media_type: str, content: bytes) -> dict[str, Any]:
    return {"mediaType": MEDIA_TYPE + media_type, "digest": f"sha256:{digest(content)}", "size": len(content)}


def to_json(value: Any) -> bytes:
    return json.dumps(value).encode()


def write_image(archive: pathlib.Path, name: str, layers: list[bytes], env: list[str], entrypoint: list[str]) -> None:
    config = to_json(
        {
            "architecture": ARCHITECTURES[platform.machine()],
            "os": "linux",
            "config": {"Env": ["PATH=/usr/sbin:/usr/bin:/sbin:/bin", *env], "Entrypoint": entrypoint},
            "rootfs": {"type": "layers", "diff_ids": [f"sha256:{digest(layer)}" for layer in layers]},
        }
    )
    manifest = to_json(
        {
            "schemaVersion": 2,
            "mediaType": MEDIA_TYPE + "manifest.v1+json",
            "config": descriptor("config.v1+json", config),
            "layers": [descriptor("layer.v1.tar", layer) for layer in layers],
        }
    )
    named = descriptor("manifest.v1+json", manifest) | {"annotations": {"io.containerd.image.name": name}}
    members = {
        "oci-layout": to_json({"imageLayoutVersion": "1.0.0"}),
        "index.json": to_json({"schemaVersion": 2, "manifests": [named]}),
    }
    members |= {f"blobs/sha256/{digest(blob)}": blob for blob in (config, manifest, *layers)}
    with tarfile.open(archive, "w") as tar:
        for path, content in members.items():
            member = tarfile.TarInfo(path)
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("archive", type=pathlib.Path)
    parser.add_argument("name")
    parser.add_argument("layers", nargs="+", type=pathlib.Path)
    parser.add_argument("--env", action="append", default=[])
    parser.add_argument("--entrypoint", action="append", default=[])
    arguments = parser.parse_args()
    write_image(
        arguments.archive,
        arguments.name,
        [layer.read_bytes() for layer in arguments.layers],
        arguments.env,
        arguments.entrypoint,
    )


if __name__ == "__main__":
    main()
