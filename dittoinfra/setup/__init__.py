"""A new stack: its configuration, its secrets, its read-only DittoFS user."""
