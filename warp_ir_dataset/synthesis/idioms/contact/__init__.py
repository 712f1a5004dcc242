"""Contact: penalties, friction, walls, colliding balls, grains, bouncing."""
