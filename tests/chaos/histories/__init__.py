"""Whole lives of stacks on the real engine and the real Kubernetes API, each drawn from one number."""
