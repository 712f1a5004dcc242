"""Reports, cards and exports of a build, and pushes to the Hub."""
