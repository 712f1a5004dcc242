"""Electric and magnetic fields on grids, and the charges that make and feel them."""
