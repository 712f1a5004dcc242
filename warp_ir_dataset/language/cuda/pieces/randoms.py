"""Pieces for random numbers, by PCG (Jarzynski and Olano, Hash Functions for GPU Rendering, JCGT 9(3), 2020).

Each random number advances the state. `randn` and points use several numbers, in order.
"""

from __future__ import annotations

from .piece import pieces

PIECES = tuple(
    pieces("""
//: pcg
// The next state, and at the same time 32 random bits.
inline __device__ uint32_t pcg(uint32_t state)
{
    uint32_t b = state * 747796405u + 2891336453u;
    uint32_t c = ((b >> ((b >> 28) + 4)) ^ b) * 277803737u;
    return (c >> 22) ^ c;
}

//: rand_init <- pcg
// A state from a seed, or one of the sequences of a seed.
inline __device__ uint32_t rand_init(int seed)
{
    return pcg(uint32_t(seed));
}
inline __device__ uint32_t rand_init(int seed, int offset)
{
    return pcg(uint32_t(seed) + pcg(uint32_t(offset)));
}

//: randi <- pcg
inline __device__ int randi(uint32_t& state)
{
    state = pcg(state);
    return int(state);
}
inline __device__ int randi(uint32_t& state, int low, int high)
{
    state = pcg(state);
    return int(state % uint32_t(high - low)) + low;
}

//: randu <- pcg
inline __device__ uint32_t randu(uint32_t& state)
{
    state = pcg(state);
    return state;
}
inline __device__ uint32_t randu(uint32_t& state, uint32_t low, uint32_t high)
{
    state = pcg(state);
    return state % (high - low) + low;
}

//: randf <- pcg
// From 0 to below 1, or between two numbers.
inline __device__ float randf(uint32_t& state)
{
    state = pcg(state);
    return float(state >> 8) * (1.0f / 16777216.0f);
}
inline __device__ float randf(uint32_t& state, float low, float high)
{
    return (high - low) * randf(state) + low;
}

//: randn <- randf
// Normally distributed (Box and Muller).
inline __device__ float randn(uint32_t& state)
{
    float u = randf(state), v = randf(state);
    return sqrtf(-2.0f * logf(u + 5.96e-8f)) * cosf(6.2831853f * v);
}

//: sample_cdf(...) <- randf; array
// An index, by running sums of weights; the last one where all are below.
inline __device__ int sample_cdf(uint32_t& state, Array<float, 1> sums)
{
    float u = randf(state);
    int low = 0, high = sums.shape[0] - 1;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (sums(middle) < u)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

//: sample_triangle <- randf; vec
inline __device__ vec<2, float> sample_triangle(uint32_t& state)
{
    float r = sqrtf(randf(state)), v = randf(state);
    return {1.0f - r, v * r};
}

//: sample_unit_ring <- randf; vec
inline __device__ vec<2, float> sample_unit_ring(uint32_t& state)
{
    float angle = randf(state, 0.0f, 6.2831853f);
    return {cosf(angle), sinf(angle)};
}

//: sample_unit_disk <- sample_unit_ring; vec * scalar
inline __device__ vec<2, float> sample_unit_disk(uint32_t& state)
{
    float r = sqrtf(randf(state));
    return sample_unit_ring(state) * r;
}

//: sample_cap <- sample_unit_ring
// On the unit sphere, at a height between 1 and 1 - span.
inline __device__ vec<3, float> sample_cap(uint32_t& state, float span)
{
    float phi = acosf(1.0f - span * randf(state));
    vec<2, float> ring = sample_unit_ring(state);
    return {ring[0] * sinf(phi), ring[1] * sinf(phi), cosf(phi)};
}

//: sample_unit_sphere_surface <- sample_cap
inline __device__ vec<3, float> sample_unit_sphere_surface(uint32_t& state)
{
    return sample_cap(state, 2.0f);
}

//: sample_unit_sphere <- sample_cap; vec * scalar
inline __device__ vec<3, float> sample_unit_sphere(uint32_t& state)
{
    vec<3, float> point = sample_cap(state, 2.0f);
    return point * powf(randf(state), 1.0f / 3.0f);
}

//: sample_unit_hemisphere_surface <- sample_cap
inline __device__ vec<3, float> sample_unit_hemisphere_surface(uint32_t& state)
{
    return sample_cap(state, 1.0f);
}

//: sample_unit_hemisphere <- sample_cap; vec * scalar
inline __device__ vec<3, float> sample_unit_hemisphere(uint32_t& state)
{
    vec<3, float> point = sample_cap(state, 1.0f);
    return point * powf(randf(state), 1.0f / 3.0f);
}

//: sample_unit_square <- randf; vec
inline __device__ vec<2, float> sample_unit_square(uint32_t& state)
{
    float x = randf(state) - 0.5f, y = randf(state) - 0.5f;
    return {x, y};
}

//: sample_unit_cube <- randf; vec
inline __device__ vec<3, float> sample_unit_cube(uint32_t& state)
{
    float x = randf(state) - 0.5f, y = randf(state) - 0.5f, z = randf(state) - 0.5f;
    return {x, y, z};
}

//: log_gamma
// Stirling's series, from 7 on (Zhang and Jin, Computation of Special Functions, 1996).
inline __device__ float log_gamma(float x)
{
    const float terms[10] = {
        8.333333333333333e-02f, -2.777777777777778e-03f, 7.936507936507937e-04f, -5.952380952380952e-04f,
        8.417508417508418e-04f, -1.917526917526918e-03f, 6.410256410256410e-03f, -2.955065359477124e-02f,
        1.796443723688307e-01f, -1.39243221690590e+00f,
    };
    if (x == 1.0f || x == 2.0f)
        return 0.0f;
    int steps = x < 7.0f ? int(7.0f - x) : 0;
    float top = x + float(steps), inverse = (1.0f / top) * (1.0f / top), series = terms[9];
    for (int i = 8; i >= 0; --i)
        series = series * inverse + terms[i];
    float found = series / top + 0.5f * 1.8378770664093453f + (top - 0.5f) * logf(top) - top;
    for (int i = 0; i < steps; ++i) {
        found -= logf(top - 1.0f);
        top -= 1.0f;
    }
    return found;
}

//: poisson <- randf; log_gamma
// A product of draws for small rates, else transformed rejection (Hoermann 1993).
inline __device__ uint32_t poisson(uint32_t& state, float rate)
{
    if (rate <= 0.0f)
        return 0;
    if (rate < 10.0f) {
        float least = expf(-rate), product = randf(state);
        uint32_t count = 0;
        for (; product > least; ++count)
            product *= randf(state);
        return count;
    }
    float log_rate = logf(rate), b = 0.931f + 2.53f * sqrtf(rate), a = -0.059f + 0.02483f * b;
    float inverse = 1.1239f + 1.1328f / (b - 3.4f), squeeze = 0.9277f - 3.6224f / (b - 2.0f);
    while (true) {
        float u = randf(state) - 0.5f, v = randf(state), us = 0.5f - fabsf(u);
        float k = floorf((2.0f * a / us + b) * u + rate + 0.43f);
        if (us >= 0.07f && v <= squeeze)
            return uint32_t(k);
        if (k < 0.0f || (us < 0.013f && v > us))
            continue;
        float height = logf(v) + logf(inverse) - logf(a / (us * us) + b);
        if (height <= -rate + k * log_rate - log_gamma(k + 1.0f))
            return uint32_t(k);
    }
}
""")
)
