"""Programs that are measured, or measured against, each in a process of its own."""
