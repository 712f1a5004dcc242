"""Steps in time: Euler, Verlet, Runge-Kutta, Boris, Langevin, orientations, boundaries."""
