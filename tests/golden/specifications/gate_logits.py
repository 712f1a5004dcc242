import warp as wp


FACTOR = wp.constant(4)


@wp.kernel
def gate_logits(
    activations: wp.array2d[float],
    classes: int,
    shrinkage: float,
    scales: wp.array2d[float],
    outputs: wp.array2d[float],
):
    i, j = wp.tid()
    current = -activations[i, j]
    if classes - FACTOR <= 1:
        if wp.abs(activations[i, j]) > 0.76:
            current = 2.4 - wp.abs(shrinkage)
        else:
            current = current * scales[i, j] * 0.083 - float(j)
    lift = (current - current * float(i) * 0.12) * 0.2
    blend_factor = lift if 3 < classes and classes < 8 else 2.7
    outputs[i, j] = -(lift * blend_factor * 0.02)
