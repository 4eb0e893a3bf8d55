# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Names of container images. Private to the collection."""

from __future__ import annotations


def full_reference(image: str) -> str:
    """Return the reference as container runtimes store it: with its registry, and with a tag or digest.

    ``nvidia/cuda:12.4.1-base-ubuntu22.04`` becomes ``docker.io/nvidia/cuda:12.4.1-base-ubuntu22.04``.
    Source: the reference grammar of the OCI distribution project, as used by ``docker pull``.
    """
    first, slash, _rest = image.partition("/")
    if not slash:
        image = f"docker.io/library/{image}"
    elif not ("." in first or ":" in first or first == "localhost"):
        image = f"docker.io/{image}"
    has_tag = "@" in image or ":" in image.rpartition("/")[2]
    return image if has_tag else f"{image}:latest"
