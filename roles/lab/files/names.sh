# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash disable=SC2034
# The names by which everything of a lab is found on the machine, also when its own records are lost. Two labs on one
# machine have two names; neither may begin with the other and a hyphen.

export LAB_NAME=${LAB_NAME:-gpu-k8s-lab}
LAB_NETNS=$LAB_NAME              # the control plane's network namespace
LAB_LINK=$LAB_NAME               # the machine's one interface in the lab; 15 characters at most
node_netns() { echo "$LAB_NAME-$1"; }
node_cgroup() { echo "$LAB_NAME-$1"; }

# Processes belong to the lab by the network namespace they live in; zombies have none.
netns_pids() { ip netns pids "$1" 2>/dev/null || true; }

# first_process NODE   the one with number 1 in a process namespace that is a child of this one
first_process() {
  local pid
  for pid in $(netns_pids "$(node_netns "$1")"); do
    if grep -qE '^NSpid:\s+[0-9]+\s+1$' "/proc/$pid/status" 2>/dev/null; then
      echo "$pid"
      return
    fi
  done
  return 1
}

# kill_netns NETNS   ends every process in it, and with a node's first process everything inside the node
kill_netns() {
  local pids
  for _ in $(seq 100); do
    mapfile -t pids < <(netns_pids "$1")
    [ "${#pids[@]}" -gt 0 ] || return 0
    kill -9 "${pids[@]}" 2>/dev/null || true
    sleep 0.05
  done
  echo "processes in $1 that don't end: ${pids[*]}" >&2
  return 1
}

# in_parallel FUNCTION NODE...   the function for each node at once; fails if it failed for any
in_parallel() {
  local node job jobs=() failed=0
  for node in "${@:2}"; do
    "$1" "$node" &
    jobs+=($!)
  done
  for job in "${jobs[@]}"; do wait "$job" || failed=1; done
  return "$failed"
}
