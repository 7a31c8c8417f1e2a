"""Benchmarks: each a ratio to a baseline that runs in turn with it, in the same minute."""
