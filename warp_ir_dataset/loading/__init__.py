"""Lets `datasets.load_dataset` read the package: a file system (`warpir://`), a builder, a shard cache."""
