"""The handlers of the routes, one module per group of paths."""
