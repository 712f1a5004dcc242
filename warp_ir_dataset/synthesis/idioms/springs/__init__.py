"""Springs between particles: forces, energies, failure, cloth and networks."""
