"""What other Pulumi programs import: components for servers, and the function that asks many of them.

`from dittoinfra import ...` gives these names; nothing here is loaded before one of them is used.
"""
