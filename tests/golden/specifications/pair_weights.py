import warp as wp


@wp.kernel
def pair_weights(n: int, heads: int, scales: wp.array2d[wp.float64], losses: wp.array[wp.float64]):
    tid = wp.tid()
    if tid >= n:
        return
    tally_sum = wp.float64(0.0)
    for lap in range(heads):
        for q in range(lap + 1):
            tally_sum += wp.max(wp.float64(float(lap)), scales[tid, q])
    losses[tid] = wp.float64(0.9) + tally_sum
