# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh
# What a Pod sees of GPUs: sh -c TEXT NONCE smoke|control SECONDS. Where several Pods try every GPU of a Node, each
# keeps its own for some seconds. No dollar sign before a parenthesis or another one: Kubernetes would expand that.
# Its output is read by plugins/module_utils/_evidence/smoke_pod.py; the exit code is that of nvidia-smi.

# GKE mounts the driver here and counts on the image to look there.
PATH=$PATH:/usr/local/nvidia/bin:/usr/bin:/bin
if [ -d /usr/local/nvidia/lib64 ]; then
  export LD_LIBRARY_PATH="/usr/local/nvidia/lib64${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
fi

echo "gpu-k8s begin $0"
echo "NVIDIA_VISIBLE_DEVICES=${NVIDIA_VISIBLE_DEVICES:-}"
for device in /dev/nvidia[0-9]*; do
  if [ -e "$device" ]; then echo "device $device"; fi
done
uvm=missing
if [ -e /dev/nvidia-uvm ]; then uvm=there; fi
echo "uvm $uvm"
libcuda=missing
for folder in /usr/lib/*-linux-gnu /usr/lib64 /usr/lib /lib64 /lib /usr/local/nvidia/lib64 /usr/local/cuda/compat; do
  if [ -e "$folder/libcuda.so.1" ]; then libcuda=there; fi
done
echo "libcuda $libcuda"

code=0
if [ "$1" = smoke ] || command -v nvidia-smi >/dev/null; then
  nvidia-smi --query-gpu=index,uuid,name,driver_version --format=csv,noheader 2>&1
  code=$?
  # MIG devices are in the list alone.
  if [ "$code" = 0 ]; then nvidia-smi -L 2>&1; fi
fi
echo "gpu-k8s end $0 exit_code=$code"
# What the log says stays with the Pod, should the log be out of reach.
echo "gpu-k8s $0 exit_code=$code" >/dev/termination-log
sleep "$2"
if [ "$1" != smoke ]; then code=0; fi
exit "$code"
