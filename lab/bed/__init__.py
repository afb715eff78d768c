"""The test bed: real programs on this machine, and what keeps, watches and scans them."""
