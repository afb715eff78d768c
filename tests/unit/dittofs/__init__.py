"""The DittoFS client and the polling, against the simulated server and against raw sockets."""
