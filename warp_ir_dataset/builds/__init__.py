"""Makes datasets: plans which kernels become rows, proves them, and writes shards that can be continued."""
