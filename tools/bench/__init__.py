"""Benchmarks: bytebpe beside its peers, in one run, results compared before times are."""
