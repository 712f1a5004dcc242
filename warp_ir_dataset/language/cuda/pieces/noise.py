"""Pieces for noise on a lattice of random gradients (Perlin, Improving Noise, SIGGRAPH 2002), in one to four
dimensions.

`lattice_noise` returns the value at a point, and its gradient on request.
"""

from __future__ import annotations

from .piece import pieces

PIECES = tuple(
    pieces("""
//: lattice_noise <- randf; vec
template <int N> __device__ void lattice_gradient(uint32_t seed, const int* corner, float* gradient)
{
    const uint32_t primes[4] = {73856093u, 19349663u, 53471161u, 10000019u};
    uint32_t key = 0;
    for (int i = 0; i < N; ++i)
        key ^= uint32_t(corner[i]) * primes[i] + (i == N - 1 ? seed : 0u);
    float square = 0.0f;
    for (int i = 0; i < N; ++i) {
        gradient[i] = N == 1 ? randf(key, -1.0f, 1.0f) : randf(key) - 0.5f;
        square += gradient[i] * gradient[i];
    }
    for (int i = 0; i < N && N > 1; ++i)
        gradient[i] /= sqrtf(square);
}
template <int N> __device__ float lattice_noise(
    uint32_t seed, vec<N, float> place, const int* periods = nullptr, vec<N, float>* slope = nullptr)
{
    float values[1 << N], slopes[1 << N][N];
    for (int c = 0; c < 1 << N; ++c) {
        int corner[N];
        for (int i = 0; i < N; ++i) {
            int side = (c >> (N - 1 - i)) & 1;
            corner[i] = int(floorf(place[i]));
            if (periods)
                corner[i] = corner[i] % periods[i];
            corner[i] += side;
            if (periods)
                corner[i] = corner[i] % periods[i];
        }
        lattice_gradient<N>(seed, corner, slopes[c]);
        values[c] = 0.0f;
        for (int i = 0; i < N; ++i)
            values[c] += slopes[c][i] * (place[i] - floorf(place[i]) - float((c >> (N - 1 - i)) & 1));
    }
    for (int axis = 0, half = 1 << (N - 1); axis < N; ++axis, half /= 2) {
        float t = place[axis] - floorf(place[axis]);
        float weight = t * t * t * (t * (t * 6.0f - 15.0f) + 10.0f);
        float steep = 30.0f * t * t * (t * (t - 2.0f) + 1.0f);
        for (int c = 0; c < half; ++c) {
            float rise = values[c + half] - values[c];
            for (int i = 0; i < N; ++i)
                slopes[c][i] += (slopes[c + half][i] - slopes[c][i]) * weight;
            slopes[c][axis] += rise * steep;
            values[c] += rise * weight;
        }
    }
    for (int i = 0; i < N && slope; ++i)
        (*slope)[i] = slopes[0][i];
    return values[0];
}

//: noise(...) <- lattice_noise
inline __device__ float noise(uint32_t seed, float place)
{
    return lattice_noise(seed, vec<1, float>{place});
}
template <int N> __device__ float noise(uint32_t seed, vec<N, float> place)
{
    return lattice_noise(seed, place);
}

//: pnoise(...) <- lattice_noise
// Repeats after so many cells.
inline __device__ float pnoise(uint32_t seed, float place, int period)
{
    return lattice_noise(seed, vec<1, float>{place}, &period);
}
template <int N, typename... Periods>
__device__ float pnoise(uint32_t seed, vec<N, float> place, Periods... periods)
{
    const int all[N] = {periods...};
    return lattice_noise(seed, place, all);
}

//: curlnoise(...) <- lattice_noise; rand_init; vec + vec; vec * scalar
// A field without sources: the curl of one noise, or of three.
template <int N, int FIELDS> __device__ void curl_fields(
    uint32_t seed, vec<N, float> place, uint32_t octaves, float lacunarity, float gain, vec<N, float>* fields)
{
    float scale = 1.0f, weight = 1.0f;
    for (uint32_t octave = 0; octave < octaves; ++octave) {
        for (int k = 0; k < FIELDS; ++k) {
            if (k > 0)
                seed = rand_init(int(seed), k == 1 ? 10019689 : 13112221);
            vec<N, float> slope;
            lattice_noise(seed, place * scale, nullptr, &slope);
            fields[k] = fields[k] + slope * weight;
        }
        scale *= lacunarity;
        weight *= gain;
    }
}
inline __device__ vec<2, float> curlnoise(
    uint32_t seed, vec<2, float> place, uint32_t octaves = 1, float lacunarity = 2.0f, float gain = 0.5f)
{
    vec<2, float> f[1] = {};
    curl_fields<2, 1>(seed, place, octaves, lacunarity, gain, f);
    return {-f[0][1], f[0][0]};
}
template <int N> __device__ vec<3, float> curlnoise(
    uint32_t seed, vec<N, float> place, uint32_t octaves = 1, float lacunarity = 2.0f, float gain = 0.5f)
{
    vec<N, float> f[3] = {};
    curl_fields<N, 3>(seed, place, octaves, lacunarity, gain, f);
    return {f[2][1] - f[1][2], f[0][2] - f[2][0], f[1][0] - f[0][1]};
}
""")
)
