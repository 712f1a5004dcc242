// A second, simple runtime for the machine's units: it judges nothing. All threads of all blocks are alive at once,
// each blocks' with shared memory of their own; before every step the schedule that was asked for says who goes on,
// and every step is written down. tests/machine/oracle.py reads that.

typedef unsigned int u32;
typedef unsigned long long u64;

extern "C" {
void* memcpy(void*, const void*, unsigned long);
void* memmove(void*, const void*, unsigned long);
void* memset(void*, int, unsigned long);
int getcontext(void*);
int swapcontext(void*, const void*);
void makecontext(void*, void (*)(), int, ...);
}

enum What : u32 { READ, WRITE, ATOMIC, BLOCK_ATOMIC, FENCE, BLOCK_FENCE, ARRIVE, LEAVE, END };
enum Outcome : u32 { WHOLE, BOUNDS, TRAP, DIVERGENT, STUCK, HANG, BAD_MASK, INPUT };
enum ThreadState : u32 { READY, AT_BARRIER, AT_WARP, DONE };
enum RegionKind : u32 { ARRAY, SHARED, CONSTANT };

struct Event { u32 thread, what; u64 place; u32 size, group; u64 value[2]; };
struct Region { char *low, *high; u64 kind; };
struct Config {
    u32 grid[3], block[3];
    void (*call)(char*);
    char *arguments, *index;
    Region* regions;
    u64 regions_count;
    Event* events;
    u64 most_events, events_count;
    u32* order;                                             // of threads, who goes first
    u32 *switch_at, *switch_to;                             // after so many decisions this thread goes first
    u64 switches;
    u64 seed, chance;                                       // one in so many decisions is drawn; 0: none
    u64 lone;                                               // whether __activemask finds a thread alone
    char *control, *locals, *stores;                        // stacks, and shared memory of each block
    u64 control_size, locals_size, store_size;
    u64 outcome;
};
struct Context { u64 flags; void* link; void* sp; u64 sp_flags, size; u64 rest[192]; };
struct Thread {
    u32 state, op, mask, arg, width, live;
    void* where;
    u64 value, result;
    long open;                                              // a write whose value is not known yet
    char* local_top;
    Context context;
};
static const u32 MOST = 16;
static Config* C;
static Thread T[MOST];
static Context home;
static u32 current, total, in_block, loaded, group_number, decisions, same, steps;
static bool stopped;
static u64 random_state;

static u32 draw() { random_state ^= random_state << 13; random_state ^= random_state >> 7; random_state ^= random_state << 17; return (u32)(random_state >> 11); }
static void stop(u32 outcome) { if (!stopped) C->outcome = outcome; stopped = true; for (;;) swapcontext(&T[current].context, &home); }
static void pause() { swapcontext(&T[current].context, &home); }

static void close()                                         // the write before this step has been made
{
    Thread& t = T[current];
    if (t.open < 0) return;
    Event& e = C->events[t.open];
    memcpy(e.value, (void*)e.place, e.size < 16 ? e.size : 16);
    t.open = -1;
}
static void note(u32 thread, u32 what, const void* place, u64 size, u32 group)
{
    if (C->events_count >= C->most_events) { C->outcome = HANG; stopped = true; return; }
    C->events[C->events_count++] = {thread, what, (u64)place, (u32)size, group, {0, 0}};
}
static bool is_own(const char* p) { return p >= C->locals + current * C->locals_size && p < C->locals + (current + 1) * C->locals_size; }
static void access(const char* p, u64 n, u32 what)
{
    if (is_own(p)) return;
    close();
    pause();
    const Region* r = nullptr;
    for (u64 i = 0; i < C->regions_count && !r; ++i)
        if (p >= C->regions[i].low && p + n <= C->regions[i].high) r = C->regions + i;
    if (!r) stop(BOUNDS);
    if (r->kind == CONSTANT) { if (what != READ) stop(INPUT); return; }
    note(current, what, p, n, r->kind == SHARED ? current / in_block : ~0u);
    if (what != READ) T[current].open = (long)C->events_count - 1;
}

// ---- barriers and warps

enum WarpOp : u32 {
    SYNC, SHFL, SHFL_UP, SHFL_DOWN, SHFL_XOR, BALLOT, ANY, ALL, ACTIVE, MATCH_ANY, MATCH_ALL, ADD, MIN, MAX, AND, OR,
    XOR, MIN_SIGNED, MAX_SIGNED
};
static u64 wait(u32 state, u32 op, u32 mask, u64 value, u32 arg, u32 width, void* where)
{
    close();
    Thread& t = T[current];
    const bool orders = state == AT_BARRIER || op == SYNC;
    if (orders) { pause(); note(current, ARRIVE, nullptr, 0, 0); }
    t.state = state; t.op = op; t.mask = mask; t.value = value; t.arg = arg; t.width = width; t.where = where;
    pause();
    return t.result;
}
static u64 combined(u32 op, u64 a, u64 b)
{
    const u32 x = (u32)a, y = (u32)b;
    switch (op) {
    case ADD: return (u32)(x + y);
    case MIN: return x < y ? x : y;
    case MAX: return x > y ? x : y;
    case MIN_SIGNED: return (int)x < (int)y ? x : y;
    case MAX_SIGNED: return (int)x > (int)y ? x : y;
    case AND: return x & y;
    case OR: return x | y;
    default: return x ^ y;
    }
}
static u64 result_of(const Thread* lanes, u32 lane, u32 members)
{
    const Thread& t = lanes[lane];
    const int width = t.width ? (int)t.width : 32, first = (int)lane / width * width, by = (int)t.arg, mine = (int)lane;
    int from = mine;
    u64 all = 0;
    bool any = false;
    switch (t.op) {
    case SYNC: return 0;
    case SHFL: from = first + (by & (width - 1)); break;
    case SHFL_UP: from = mine - by < first ? mine : mine - by; break;
    case SHFL_DOWN: from = mine + by >= first + width ? mine : mine + by; break;
    case SHFL_XOR: from = (mine ^ by) >= first + width ? mine : mine ^ by; break;
    case ACTIVE: return members;
    default:
        for (u32 k = 0; k < 32; ++k) {
            if (!(members >> k & 1)) continue;
            const u64 v = lanes[k].value;
            if (t.op == BALLOT || t.op == ANY || t.op == ALL) all |= (u64)(v != 0) << k;
            else if (t.op == MATCH_ANY || t.op == MATCH_ALL) all |= (u64)(v == t.value) << k;
            else all = any ? combined(t.op, all, v) : v;
            any = true;
        }
        if (t.op == ANY) return all != 0;
        if (t.op == ALL) return all == members;
        return t.op == MATCH_ALL && all != members ? 0 : all;
    }
    return members >> from & 1 ? lanes[from].value : 0x7fbadbad7fbadbadull;
}
static void release(u32 first, u32 count, u32 members, bool orders)
{
    ++group_number;
    for (u32 i = 0; i < count; ++i) if (members >> i & 1) {
        T[first + i].state = READY;
        if (orders) note(first + i, LEAVE, nullptr, 0, group_number);
    }
}
static bool try_warp(u32 first, u32 count, bool active)
{
    for (u32 i = 0; i < count; ++i) {
        Thread& t = T[first + i];
        if (t.state != AT_WARP || (t.op == ACTIVE) != active) continue;
        u32 there = 0, live = 0, ready = 0;
        for (u32 k = 0; k < count; ++k) {
            const Thread& o = T[first + k];
            if (o.state != DONE) live |= 1u << k;
            if (o.state == READY) ready |= 1u << k;
            if (o.state == AT_WARP && o.op == t.op && (active ? o.where == t.where : o.mask == t.mask)) there |= 1u << k;
        }
        if (!active) { if ((there & t.mask) != (t.mask & live)) continue; there &= t.mask; }
        else if (ready) continue;
        for (u32 k = 0; k < count; ++k) if (there >> k & 1) T[first + k].result = result_of(T + first, k, there);
        release(first, count, there, t.op == SYNC);
        return true;
    }
    return false;
}
static bool try_barrier(u32 first)
{
    u32 members = 0, count = 0, number = 0;
    const Thread* one = nullptr;
    for (u32 i = 0; i < in_block; ++i) {
        const Thread& t = T[first + i];
        if (t.state == DONE) continue;
        if (t.state != AT_BARRIER) return false;
        if (one && (one->where != t.where || one->op != t.op)) { C->outcome = DIVERGENT; stopped = true; return false; }
        one = &t;
        members |= 1u << i;
        number++;
        count += t.value != 0;
    }
    if (!one) return false;
    for (u32 i = 0; i < in_block; ++i)
        T[first + i].result = one->op == 2 ? count == number : one->op == 3 ? count > 0 : count;
    release(first, in_block, members, true);
    return true;
}
static bool try_all()
{
    for (u32 first = 0; first < total; first += in_block)
        if (try_warp(first, in_block, false) || try_warp(first, in_block, true) || try_barrier(first)) return true;
    return false;
}

// ---- who goes on

static void to_front(u32 thread)
{
    u32 i = 0;
    while (i < total && C->order[i] != thread) ++i;
    if (i == total) return;
    for (; i > 0; --i) C->order[i] = C->order[i - 1];
    C->order[0] = thread;
}
static u32 chosen()
{
    for (u64 i = 0; i < C->switches; ++i) if (C->switch_at[i] == decisions) to_front(C->switch_to[i]);
    ++decisions;
    if (C->chance && draw() % C->chance == 0) {
        u32 ready = 0;
        for (u32 i = 0; i < total; ++i) ready += T[i].state == READY;
        if (ready) {
            u32 k = draw() % ready;
            for (u32 i = 0; i < total; ++i) if (T[i].state == READY && k-- == 0) to_front(i);
        }
    }
    for (u32 i = 0; i < total; ++i) {
        const u32 t = C->order[i];
        if (T[t].state != READY) continue;
        same = t == current ? same + 1 : 0;
        if (same < 48) return t;
        same = 0;                                           // it may wait for others: they come first now
        for (u32 k = i; k + 1 < total; ++k) C->order[k] = C->order[k + 1];
        C->order[total - 1] = t;
        return chosen();
    }
    return ~0u;
}
static void base()
{
    C->call(C->arguments);
    close();
    T[current].state = DONE;
    pause();
}
static void load(u32 block)
{
    if (block == loaded) return;
    for (u32 save = 0; save < 2; ++save) {
        char* at = C->stores + (save ? block : loaded) * C->store_size;
        if (!save && loaded == ~0u) continue;
        for (u64 i = 0; i < C->regions_count; ++i) {
            const Region& r = C->regions[i];
            if (r.kind != SHARED) continue;
            const u64 size = (u64)(r.high - r.low);
            if (save) memcpy(r.low, at, size); else memcpy(at, r.low, size);
            at += size;
        }
    }
    loaded = block;
}

extern "C" {
#define HERE __builtin_return_address(0)
#define ACCESS(n)                                                                                       \
    void __tsan_read##n(char* p) { access(p, n, READ); }                                                \
    void __tsan_write##n(char* p) { access(p, n, WRITE); }                                              \
    void __tsan_unaligned_read##n(char* p) { access(p, n, READ); }                                      \
    void __tsan_unaligned_write##n(char* p) { access(p, n, WRITE); }                                    \
    void __tsan_volatile_read##n(char* p) { access(p, n, READ); }                                       \
    void __tsan_volatile_write##n(char* p) { access(p, n, WRITE); }                                     \
    void __tsan_unaligned_volatile_read##n(char* p) { access(p, n, READ); }                             \
    void __tsan_unaligned_volatile_write##n(char* p) { access(p, n, WRITE); }
ACCESS(1) ACCESS(2) ACCESS(4) ACCESS(8) ACCESS(16)
void* __tsan_memcpy(char* to, const char* from, u64 n)
{
    char held[1024];                                        // what was read when it was written down
    if (n > sizeof held) stop(TRAP);
    if (n) { access(from, n, READ); memcpy(held, from, n); access(to, n, WRITE); memcpy(to, held, n); }
    return to;
}
void* __tsan_memmove(char* to, const char* from, u64 n) { return __tsan_memcpy(to, from, n); }
void* __tsan_memset(char* to, int value, u64 n) { if (n) access(to, n, WRITE); return memset(to, value, n); }
void __tsan_init() {}
void** __safestack_pointer_address() { return (void**)&T[current].local_top; }
void __sanitizer_cov_trace_pc() { if (++steps > 400000) stop(HANG); }
#define ENDS(name, outcome) void __ubsan_handle_##name##_minimal_abort() { stop(outcome); }
ENDS(out_of_bounds, BOUNDS) ENDS(local_out_of_bounds, BOUNDS) ENDS(type_mismatch, BOUNDS) ENDS(alignment_assumption, BOUNDS)
ENDS(builtin_unreachable, TRAP) ENDS(missing_return, TRAP)
ENDS(shift_out_of_bounds, TRAP)
ENDS(float_cast_overflow, TRAP)
void __ubsan_handle_missing_return_minimal() { stop(TRAP); }
void __ubsan_handle_builtin_unreachable_minimal() { stop(TRAP); }
void wm_access(char* p, u64 n, u32 how, void*) { access(p, n, how & 1 ? WRITE : READ); }
void wm_atomic(char* p, u64 n, u32 block, void*) { access(p, n, block ? BLOCK_ATOMIC : ATOMIC); }
void wm_fence(u32 device) { close(); pause(); note(current, device ? FENCE : BLOCK_FENCE, nullptr, 0, 0); }
u64 wm_barrier(u32 op, u64 value, void* where) { return wait(AT_BARRIER, op, 0, value, 0, 0, where); }
u64 wm_warp(u32 op, u32 mask, u64 value, u32 arg, u32 width, void* where)
{
    const u32 lane = current % in_block;                    // there is one warp, or a part of one, in a block
    if (op == ACTIVE && C->lone) return 1u << lane;
    if (op != ACTIVE && !(mask >> lane & 1)) stop(BAD_MASK);
    return wait(AT_WARP, op, mask, value, arg, width, where);
}
void wm_trap(u32, void*) { stop(TRAP); }
int wm_printf(const char*, ...) { return 0; }
u64 wm_clock() { return steps; }
void wm_yield() { close(); same = 47; pause(); }

void or_run(Config* config)
{
    C = config;
    in_block = C->block[0] * C->block[1] * C->block[2];
    total = in_block * C->grid[0] * C->grid[1] * C->grid[2];
    C->events_count = 0; C->outcome = WHOLE;
    decisions = same = steps = group_number = 0;
    loaded = ~0u; stopped = false; random_state = C->seed * 2654435761u + 88172645463325252ull;
    current = 0;
    for (u32 i = 0; i < total; ++i) {
        Thread& t = T[i];
        memset(&t, 0, sizeof t);
        t.open = -1;
        t.local_top = C->locals + (i + 1) * C->locals_size;
        getcontext(&t.context);
        t.context.sp = C->control + i * C->control_size;
        t.context.size = C->control_size;
        t.context.link = nullptr;
        makecontext(&t.context, base, 0);
    }
    while (!stopped) {
        const u32 next = chosen();
        if (next == ~0u) {
            if (try_all()) continue;
            if (stopped) break;
            bool done = true;
            for (u32 i = 0; i < total; ++i) done &= T[i].state == DONE;
            if (!done) C->outcome = STUCK;
            break;
        }
        current = next;
        const u32 block = next / in_block, thread = next % in_block;
        load(block);
        u32* index = (u32*)C->index;
        const u32 *b = C->block, *g = C->grid;
        const u32 now[12] = {thread % b[0], thread / b[0] % b[1], thread / b[0] / b[1], block % g[0], block / g[0] % g[1],
            block / g[0] / g[1], b[0], b[1], b[2], g[0], g[1], g[2]};
        memcpy(index, now, sizeof now);
        swapcontext(&home, &T[next].context);
        if (!stopped) while (try_warp(next / in_block * in_block, in_block, false)) {}
        if (decisions % 64 == 63 && !stopped) try_all();    // somebody may spin until these go on
    }
}
}
