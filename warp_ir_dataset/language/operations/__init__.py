"""The table of operations: one row for each, with signature, domain, bound and numpy function."""
