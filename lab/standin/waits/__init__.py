"""Waiting until the cluster has done what an object asks for."""
