# SPDX-License-Identifier: GPL-3.0-or-later
"""Bootstrap pip from the wheel that comes with Python, in place of the script that ansible-test would download."""

import runpy
import subprocess
import sys

# A process of its own: ensurepip switches pip's configuration off, and the download below needs it.
subprocess.run([sys.executable, "-m", "ensurepip"], check=True, stdout=subprocess.DEVNULL)

sys.argv[1:] = ["install", *(arg for arg in sys.argv[1:] if arg not in ("--no-setuptools", "--no-wheel"))]
runpy.run_module("pip", run_name="__main__", alter_sys=True)
