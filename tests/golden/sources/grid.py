import warp as wp


@wp.func
def clamp_index(index: wp.int32, size: wp.int32) -> wp.int32:
    if index < 0:
        return 0
    return wp.min(index, size - 1)


@wp.kernel(enable_backward=False)
def blur(image: wp.array2d(dtype=wp.float64), mask: wp.array2d(dtype=bool), result: wp.array2d(dtype=wp.float64)):
    row, column = wp.tid()
    total = wp.float64(0.0)
    for offset in range(-1, 2):
        neighbor = clamp_index(row + offset, 16)
        if mask[neighbor, column] == True:  # noqa: E712
            continue
        total += image[neighbor, column]
    bits = wp.int32(7)
    steps = int(0)
    while steps < 10:
        bits = ((bits << 1) ^ (bits >> 2)) & ~3 | +5
        steps += 1
        if bits > 100 or bits == -100:
            break
    result[row, column] = total / wp.float64(3.0) + wp.float64(bits // 2) ** wp.float64(2.0) if bits != 4 else -total
