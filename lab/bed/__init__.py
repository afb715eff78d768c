"""The test bed: starts real programs on this machine, and scans a test run for leaked credentials."""
