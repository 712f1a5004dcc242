"""Warp's parameter names of its built-ins, for sources that pass operands by name."""

from __future__ import annotations

from collections.abc import Collection, Mapping

# Each line: names in their order, and the built-ins that take operands of these names.
_LINES = """
a: argmax argmin determinant inverse inverse_approx isfinite isinf isnan length length_sq max min normalize
a: trace transpose
a b: cross cw_div cw_mul ddot div_approx dot max min outer spatial_cross spatial_cross_dual spatial_dot
a b: transform_multiply
a b t: lerp quat_slerp
a b x: smoothstep
x: abs acos asin atan bit_count cbrt ceil cos cosh degrees erf erfc erfcinv erfinv exp floor frac
x: log log10 log2 nonzero radians rint round sign sin sinh sqrt step tan tanh trunc
x y: copysign pow
y x: atan2
x low high: clamp
cond value_if_true value_if_false: where
vec: diag skew
v: norm_l1 norm_l2
v delta: norm_huber norm_pseudo_huber smooth_normalize
mat: get_diag quat_from_matrix transform_from_matrix
m: transform_decompose
arr value: lower_bound
arr arr_begin arr_end value: lower_bound
arr i value: atomic_add atomic_and atomic_exch atomic_max atomic_min atomic_or atomic_sub atomic_xor
arr i j value: atomic_add atomic_and atomic_exch atomic_max atomic_min atomic_or atomic_sub atomic_xor
arr i j k value: atomic_add atomic_and atomic_exch atomic_max atomic_min atomic_or atomic_sub atomic_xor
arr i j k l value: atomic_add atomic_and atomic_exch atomic_max atomic_min atomic_or atomic_sub atomic_xor
arr i compare value: atomic_cas
arr i j compare value: atomic_cas
arr i j k compare value: atomic_cas
arr i j k l compare value: atomic_cas
axis angle: quat_from_axis_angle
axis q: quat_twist quat_twist_angle quat_twist_angle_signed
e i j k: quat_from_euler
q i j k: quat_to_euler
q: quat_to_rpy
quat: quat_inverse quat_to_axis_angle quat_to_matrix
quat vec: quat_rotate quat_rotate_inv
roll pitch yaw: quat_rpy
xform: transform_get_rotation transform_get_translation transform_inverse transform_to_matrix
xform point: transform_point
mat point: transform_point
xform vec: transform_vector
mat vec: transform_vector
xform p: transform_set_translation
xform q: transform_set_rotation
position rotation scale: transform_compose
t x: transform_twist transform_wrench
r s: spatial_adjoint
svec: spatial_bottom spatial_top
qd r: velocity_at_point
seed: rand_init
seed offset: rand_init
state: randf randi randn randu
state low high: randf randi randu
state cdf: sample_cdf
state lam: poisson
state x: noise
state xy: noise
state xyz: noise
state xyzt: noise
state x px: pnoise
state xy px py: pnoise
state xyz px py pz: pnoise
state xyzt px py pz pt: pnoise
state xy octaves lacunarity gain: curlnoise
state xyz octaves lacunarity gain: curlnoise
state xyzt octaves lacunarity gain: curlnoise
"""


def _parsed() -> Mapping[str, tuple[tuple[str, ...], ...]]:
    found: dict[str, tuple[tuple[str, ...], ...]] = {}
    for line in _LINES.strip().split("\n"):
        names, _, functions = line.partition(": ")
        for function in functions.split():
            found[function] = (*found.get(function, ()), tuple(names.split()))
    return found


PARAMETERS = _parsed()


def parameters(name: str, placed: int, named: Collection[str]) -> tuple[str, ...]:
    """The operands of `named`, in their order behind the first `placed`; () where there are no such."""
    for names in PARAMETERS.get(name, ()):
        rest = names[placed : placed + len(named)]
        if set(rest) == set(named):
            return rest
    return ()
