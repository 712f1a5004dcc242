// <cooperative_groups.h> and <cooperative_groups/reduce.h> for both compilers, read as a part of the text (as half.h
// is): blocks, tiles of up to a warp, and the threads of a warp that are active.
namespace cooperative_groups {
__device__ __forceinline__ unsigned int __wm_rank() { return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z); }
__device__ __forceinline__ unsigned int __wm_count() { return blockDim.x * blockDim.y * blockDim.z; }
__device__ __forceinline__ unsigned int __wm_tile(unsigned int size) { return (0xffffffffu >> (32 - size)) << (__wm_rank() % 32 / size * size); }
__device__ __forceinline__ unsigned int __wm_below(unsigned int mask) { return (unsigned int)__popc(mask & ((1u << __wm_rank() % 32) - 1)); }
struct thread_group;
struct thread_block {
    static __device__ __forceinline__ void sync() { __syncthreads(); }
    static __device__ __forceinline__ unsigned int thread_rank() { return __wm_rank(); }
    static __device__ __forceinline__ unsigned int size() { return __wm_count(); }
    static __device__ __forceinline__ unsigned int num_threads() { return __wm_count(); }
    static __device__ __forceinline__ dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
    static __device__ __forceinline__ dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
    static __device__ __forceinline__ dim3 group_dim() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
    static __device__ __forceinline__ dim3 dim_threads() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
};
__device__ __forceinline__ thread_block this_thread_block() { return thread_block(); }
struct __wm_warp_part {
    unsigned int __wm_mask;
    __device__ __forceinline__ __wm_warp_part(unsigned int m) : __wm_mask(m) {}
    __device__ __forceinline__ void sync() const { __syncwarp(__wm_mask); }
    __device__ __forceinline__ int any(int p) const { return __any_sync(__wm_mask, p); }
    __device__ __forceinline__ int all(int p) const { return __all_sync(__wm_mask, p); }
};
template <unsigned int Size, typename Parent> struct __wm_meta {
    static __device__ __forceinline__ unsigned int __wm_number() { return __wm_rank() / Size; }
    static __device__ __forceinline__ unsigned int __wm_all() { return (__wm_count() + Size - 1) / Size; }
};
template <unsigned int Size, typename Parent = void> struct thread_block_tile : __wm_warp_part {
    static_assert(Size <= 32 && (Size & (Size - 1)) == 0, "tiles have 1, 2, 4, 8, 16 or 32 threads");
    __device__ __forceinline__ thread_block_tile() : __wm_warp_part(__wm_tile(Size)) {}
    template <typename Other> __device__ __forceinline__ thread_block_tile(const thread_block_tile<Size, Other>&) : __wm_warp_part(__wm_tile(Size)) {}
    static __device__ __forceinline__ unsigned int thread_rank() { return __wm_rank() % Size; }
    static __device__ __forceinline__ unsigned int size() { return Size; }
    static __device__ __forceinline__ unsigned int num_threads() { return Size; }
    static __device__ __forceinline__ unsigned int meta_group_rank() { return __wm_meta<Size, Parent>::__wm_number(); }
    static __device__ __forceinline__ unsigned int meta_group_size() { return __wm_meta<Size, Parent>::__wm_all(); }
    template <typename T> __device__ __forceinline__ T shfl(T v, int from) const { return __shfl_sync(__wm_mask, v, from, Size); }
    template <typename T> __device__ __forceinline__ T shfl_up(T v, unsigned int by) const { return __shfl_up_sync(__wm_mask, v, by, Size); }
    template <typename T> __device__ __forceinline__ T shfl_down(T v, unsigned int by) const { return __shfl_down_sync(__wm_mask, v, by, Size); }
    template <typename T> __device__ __forceinline__ T shfl_xor(T v, unsigned int by) const { return __shfl_xor_sync(__wm_mask, v, (int)by, Size); }
    __device__ __forceinline__ unsigned int ballot(int p) const { return __ballot_sync(__wm_mask, p) >> (__wm_rank() % 32 / Size * Size); }
    template <typename T> __device__ __forceinline__ unsigned int match_any(T v) const { return __match_any_sync(__wm_mask, v) >> (__wm_rank() % 32 / Size * Size); }
    template <typename T> __device__ __forceinline__ unsigned int match_all(T v, int& same) const { return __match_all_sync(__wm_mask, v, &same) >> (__wm_rank() % 32 / Size * Size); }
};
template <unsigned int Size, unsigned int Outer, typename Parent> struct __wm_meta<Size, thread_block_tile<Outer, Parent>> {
    static __device__ __forceinline__ unsigned int __wm_number() { return __wm_rank() % Outer / Size; }
    static __device__ __forceinline__ unsigned int __wm_all() { return Outer / Size; }
};
template <unsigned int Size> __device__ __forceinline__ thread_block_tile<Size, thread_block> tiled_partition(const thread_block&) { return thread_block_tile<Size, thread_block>(); }
template <unsigned int Size, unsigned int Outer, typename Parent> __device__ __forceinline__ thread_block_tile<Size, thread_block_tile<Outer, Parent>> tiled_partition(const thread_block_tile<Outer, Parent>&)
{
    static_assert(Size <= Outer, "a tile is no larger than the group that it is a part of");
    return thread_block_tile<Size, thread_block_tile<Outer, Parent>>();
}
struct coalesced_group : __wm_warp_part {
    __device__ __forceinline__ coalesced_group(unsigned int m) : __wm_warp_part(m) {}
    __device__ __forceinline__ unsigned int thread_rank() const { return __wm_below(__wm_mask); }
    __device__ __forceinline__ unsigned int size() const { return (unsigned int)__popc(__wm_mask); }
    __device__ __forceinline__ unsigned int num_threads() const { return (unsigned int)__popc(__wm_mask); }
    __device__ __forceinline__ unsigned int meta_group_rank() const { return 0; }
    __device__ __forceinline__ unsigned int meta_group_size() const { return 1; }
    __device__ __forceinline__ int __wm_lane(unsigned int rank) const
    {
        unsigned int rest = __wm_mask;
        for (unsigned int i = 0; i < rank; ++i) rest &= rest - 1;
        return __ffs((int)rest) - 1;
    }
    __device__ __forceinline__ unsigned int __wm_packed(unsigned int lanes) const
    {
        unsigned int packed = 0, to = 0;
        for (unsigned int rest = __wm_mask; rest != 0; rest &= rest - 1) packed |= (lanes >> (__ffs((int)rest) - 1) & 1u) << to++;
        return packed;
    }
    template <typename T> __device__ __forceinline__ T shfl(T v, int from) const { return __shfl_sync(__wm_mask, v, __wm_lane((unsigned int)from % size())); }
    template <typename T> __device__ __forceinline__ T shfl_up(T v, unsigned int by) const { const unsigned int r = thread_rank(); return __shfl_sync(__wm_mask, v, __wm_lane(r < by ? r : r - by)); }
    template <typename T> __device__ __forceinline__ T shfl_down(T v, unsigned int by) const { const unsigned int r = thread_rank(); return __shfl_sync(__wm_mask, v, __wm_lane(r + by < size() ? r + by : r)); }
    __device__ __forceinline__ unsigned int ballot(int p) const { return __wm_packed(__ballot_sync(__wm_mask, p)); }
    template <typename T> __device__ __forceinline__ unsigned int match_any(T v) const { return __wm_packed(__match_any_sync(__wm_mask, v)); }
};
__device__ __forceinline__ coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }
struct thread_group {
    unsigned int __wm_mask;
    __device__ __forceinline__ thread_group(const thread_block&) : __wm_mask(0) {}
    template <unsigned int Size, typename Parent> __device__ __forceinline__ thread_group(const thread_block_tile<Size, Parent>& t) : __wm_mask(t.__wm_mask) {}
    __device__ __forceinline__ thread_group(const coalesced_group& g) : __wm_mask(g.__wm_mask) {}
    explicit __device__ __forceinline__ thread_group(unsigned int m) : __wm_mask(m) {}
    __device__ __forceinline__ void sync() const { if (__wm_mask == 0) __syncthreads(); else __syncwarp(__wm_mask); }
    __device__ __forceinline__ unsigned int thread_rank() const { return __wm_mask == 0 ? __wm_rank() : __wm_below(__wm_mask); }
    __device__ __forceinline__ unsigned int size() const { return __wm_mask == 0 ? __wm_count() : (unsigned int)__popc(__wm_mask); }
    __device__ __forceinline__ unsigned int num_threads() const { return size(); }
};
__device__ __forceinline__ thread_group tiled_partition(const thread_group&, unsigned int size) { return thread_group(__wm_tile(size)); }
template <typename G> __device__ __forceinline__ void sync(const G& g) { g.sync(); }
template <typename G> __device__ __forceinline__ unsigned int thread_rank(const G& g) { return g.thread_rank(); }
template <typename G> __device__ __forceinline__ unsigned int group_size(const G& g) { return g.size(); }
template <typename T> struct plus { __device__ __forceinline__ T operator()(T a, T b) const { return a + b; } };
template <typename T> struct less { __device__ __forceinline__ T operator()(T a, T b) const { return b < a ? b : a; } };
template <typename T> struct greater { __device__ __forceinline__ T operator()(T a, T b) const { return a < b ? b : a; } };
template <typename T> struct bit_and { __device__ __forceinline__ T operator()(T a, T b) const { return a & b; } };
template <typename T> struct bit_or { __device__ __forceinline__ T operator()(T a, T b) const { return a | b; } };
template <typename T> struct bit_xor { __device__ __forceinline__ T operator()(T a, T b) const { return a ^ b; } };
template <unsigned int Size, typename Parent, typename T, typename F> __device__ __forceinline__ T reduce(const thread_block_tile<Size, Parent>& tile, T v, F op)
{
    for (unsigned int by = Size / 2; by > 0; by /= 2) v = op(v, tile.shfl_xor(v, by));
    return v;
}
template <typename T, typename F> __device__ __forceinline__ T reduce(const coalesced_group& group, T v, F op)
{
    T all = group.shfl(v, 0);
    for (unsigned int i = 1; i < group.size(); ++i) all = op(all, group.shfl(v, (int)i));
    return all;
}
}
