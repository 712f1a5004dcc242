import warp as wp


@wp.kernel
def log_sum_exp(energies: wp.array2d[wp.float32], out: wp.array[wp.float32]):
    """The log-sum-exp of each row of `energies`, shifted by the row's largest entry."""
    row = wp.tid()
    peak = energies[row, 0]
    for k in range(1, 6):
        peak = wp.max(peak, energies[row, k])
    total = wp.float32(0.0)
    for k in range(6):
        total += wp.exp(energies[row, k] - peak)
    out[row] = peak + wp.log(total / 6.0)
