"""Shared by all packages: configs, addresses, random numbers, errors, versions, caches."""
