"""Steps of algorithms on graphs, over edges or over the neighbours of a vertex."""
