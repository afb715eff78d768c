"""Random histories of stacks on the real engine and the real Kubernetes API, each generated from a seed."""
