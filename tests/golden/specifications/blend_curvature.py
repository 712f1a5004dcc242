import warp as wp


@wp.func
def compress(falloff_term: float, difference: float) -> float:
    return wp.max(wp.min(-difference, difference), falloff_term)


def create_blend_curvature():
    COEFFICIENT = 2.6

    @wp.kernel
    def blend_curvature(
        cols: int,
        roughness: wp.array2d[float],
        nx: int,
        normals: wp.array2d[wp.vec4],
        lengths: wp.array2d[float],
    ):
        row, col = wp.tid()
        if col >= cols:
            return
        kernel_value = roughness[wp.max(row - 1, 0), col]
        pull_back = roughness[wp.min(row + 1, nx - 1), col]
        weight = compress(
            wp.length_sq(wp.vec4(1.1, COEFFICIENT, 1.9, roughness[row, col])),
            wp.max(normals[row, col]),
        )
        lengths[row, col] = wp.max(
            wp.dot(weight * normals[row, col], wp.vec4(pull_back)) * 0.024, kernel_value
        )

    return blend_curvature


blend_curvature = create_blend_curvature()
