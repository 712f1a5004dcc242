"""The folder of a build: shards, manifest, builds in parts, and builds at a URL."""
