"""Lives in which our own side goes wrong: configuration, runs that meet, hands in the cluster."""
