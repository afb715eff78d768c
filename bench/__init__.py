"""Every measurement of how fast this project is, each against its floor in the same run: `make bench`."""
