"""Dense linear algebra on many small matrices, one for each thread: singular values."""
