"""Steps of graph algorithms over vertices and edges: walks, colours, distances, trees."""
