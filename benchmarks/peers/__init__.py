"""The service beside other backends that a package registry has: ``make bench-peers``, never in CI."""
