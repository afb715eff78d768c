"""Network faults, random histories and killed processes, on the real engine and Kubernetes API."""
