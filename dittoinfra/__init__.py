"""DittoFS on Kubernetes: Services that follow the adapters a server really serves."""

__version__ = "0.1.0"
