"""Moving data by index: gathers, scatters, segments, compaction."""
