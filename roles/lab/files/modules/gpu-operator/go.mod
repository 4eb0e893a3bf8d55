module lab/gpu-operator

go 1.26.0

// For its Helm chart. Its releases have numbers that Go doesn't take: this is the state of a day.
require github.com/NVIDIA/gpu-operator v0.0.0-20250917190837-d73a0086a6ba
