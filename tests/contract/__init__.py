"""Two sides of an edge: simulated and real server, stand-in and recorded provider, selectors and real API."""
