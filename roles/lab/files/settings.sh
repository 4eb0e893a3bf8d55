# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# What every script of the running lab shares. $LAB_RUN is the folder of the running lab.

# shellcheck source=/dev/null
. "${LAB_RUN:?}/lab.env"
# shellcheck source=names.sh
. "$(dirname "${BASH_SOURCE[0]}")/names.sh"

API_ADDRESS=$LAB_NETWORK_PREFIX.1
PACKAGE_SERVER=$API_ADDRESS:8081
LAB_PARTS=$LAB_RUN/parts
LAB_PKI=$LAB_RUN/pki
export API_ADDRESS PACKAGE_SERVER LAB_PARTS LAB_PKI

# load_node NAME   sets NODE and the node's settings
load_node() {
  read -r NODE NODE_NUMBER NODE_ADDRESS NODE_GPUS NODE_PCI_DEVICE_ID NODE_MEMORY_MIB NODE_COMPUTE_CAPABILITY NODE_PYTHON NODE_MODEL \
    < <(grep "^$1 " <<<"$LAB_NODE_TABLE") || { echo "the lab has no node $1" >&2; return 1; }
  export NODE NODE_NUMBER NODE_ADDRESS NODE_GPUS NODE_PCI_DEVICE_ID NODE_MEMORY_MIB NODE_COMPUTE_CAPABILITY NODE_PYTHON NODE_MODEL
}
