"""Hostile bytes for the native core; run it as `python -m tools.fuzz`."""
