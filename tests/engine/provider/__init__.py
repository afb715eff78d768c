"""Whole stacks on a provider that behaves as the official one, and a real Kubernetes with controllers."""
