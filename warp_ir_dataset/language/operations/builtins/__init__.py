"""The operations, one file per group of Warp's own reference; each defines `ROWS`."""
