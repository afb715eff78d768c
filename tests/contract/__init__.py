"""Contract tests: simulated and real server, stand-in and recorded provider, our selectors and the API's."""
