"""What the engine starts."""

from adapter_policy.pack import serve

serve()
