"""The canonical forms whose hashes are ids and skeletons."""
