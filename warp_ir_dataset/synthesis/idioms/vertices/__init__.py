"""What vertices and edges of a graph do in one step: walks, colours, distances, trees."""
