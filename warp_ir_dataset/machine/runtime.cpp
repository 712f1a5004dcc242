// Runs one grid of CUDA threads on one CPU thread: each thread is a fibre, and every access that the compiler
// announced is held against what CUDA guarantees about order (vector clocks), bounds and first values.
//
// Compiled once per machine, at -O2 and without instrumentation. The C library is used for jumps and memory only.
// All that changes lies in one mapping (State) that the caller puts at a random address; a kernel has no pointer
// to it, and each access of a kernel is checked before it is made, so that none leads there.

typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long long u64;

extern "C" {
void* memset(void*, int, unsigned long);
void* memcpy(void*, const void*, unsigned long);
void* memmove(void*, const void*, unsigned long);
int _setjmp(void*) __attribute__((returns_twice));
void longjmp(void*, int) __attribute__((noreturn));
int getcontext(void*);
void makecontext(void*, void (*)(), int, ...);
int setcontext(const void*);
void _exit(int) __attribute__((noreturn));
}

// ---- what findings.py and machine.py know by the same numbers

enum Kind : u32 {
    NOTHING, WRITE_WRITE, READ_WRITE, ATOMIC_PLAIN, OUT_OF_BOUNDS, UNSET_READ, INPUT_WRITTEN, DIVERGENT, DEADLOCK,
    HANG, BAD_MASK, TRAP, MISALIGNED, ASSERT, DIVISION, BAD_CALL, DEEP, LOCAL_BOUNDS, BLOCK_SCOPE, CRASH, LANE_USED,
    WRONG_MEMORY, SHIFT, CONVERSION, FORMAT, RETURNED, FIRST_NOTE,
    SAME_VALUE = FIRST_NOTE, READ_BESIDE_ATOMIC, FINISHED, INACTIVE_LANE, TOO_LARGE
};
enum RegionKind : u32 { DEVICE, SHARED, READ_ONLY, INPUT };
enum Order : u32 { FORWARD, BACKWARD, RANDOM };

struct Uint3 { u32 x, y, z; };
struct Index { Uint3 thread, block, size, grid; };          // as device.h has it
struct Cell {                                               // of one word, or of one byte
    u32 writer, written, write_pc;                          // thread + 1, its clock, where
    u32 reader, read, read_pc;                              // the last one
    u32 past, past_clock, past_pc;                          // a reader in an earlier block
    u32 many, many_block;                                   // readers side by side: where they are kept
    u8 init, write_atomic, read_atomic, past_atomic;        // atomic: 0 plain, 1 for the device, 2 for the block
};
struct Region { char *low, *high; Cell* cells; u32 kind, shift; u64 set; };   // set: all of it has a value at first
struct Report { u32 kind, pc, other_pc, region; u64 offset; u32 thread, other, count, size; };

struct Config {
    Uint3 grid, block;
    void (*call)(char*);
    char* arguments;
    Index* index;
    char* text;                                             // where the code begins: pcs are offsets from here
    Region* regions;
    u64 regions_count;
    char *control, *locals;                                 // stacks of both kinds
    u64 control_size, control_gap, locals_size;
    u64 tiles_size;                                         // at the low end of locals, behind Warp's headers alone
    u32 order, seed, preempt, lone;
    u64 most_steps;
    Report* reports;
    u32 most_reports, reports_count;
    u64 steps, accesses, switches, told_locals, audited, unannounced;
    char *pool, *pool_end;
    u8* unset;                                              // of each byte of `locals`: whether it has no value
    u64 ones;                                               // whether bytes of ones may be values of the text's own
    u64 patterns;                                           // whether words of the pattern may be
    u64 canary, undefined;                                  // `undefined` is the value of a lane that is not there
};

enum ThreadState : u32 { READY, AT_BARRIER, AT_WARP, DONE };
struct Thread {
    u32 state, op, mask, arg, width, spins;
    void* where;
    u64 value, result;
    u32 clock;
    u32 *known, *foreign;                                   // of the own block, if `apart`; of other blocks
    u32 *fence, *fence_foreign, *fence_block;               // known at its last fence, of the device and the block
    char* local_top;
    bool apart;                                             // it knows more than the last barrier told
    char* last; u32 again;                                  // its last access outside of its stack, how often repeated
    char* atomic; u64 atomic_size;                          // what its atomic changes, until that ends
    struct { char* p; u32 n, pc, other_pc, region, other; bool on; } doubt;
    char *unset_low, *unset_high;                           // where on its stack there may be bytes without values
};
struct Sync { char* at; u32 *device, *block; u32 block_id; bool lent; };
struct Jump { u64 words[64]; };
const u32 MOST_THREADS = 1024, MOST_SYNCS = 4096;

struct State {
    u64 canary_low;
    Config* config;
    u32 threads, current, base, total, random, home, block_number;
    bool stop, in_fibre;
    u64 steps_left;
    char *own_low, *pool, *pool_end;                        // from below for a block, from above for a launch
    u32* scratch;
    char* audited;                                          // an access that is to be announced next
    u64 own_size;
    Region *last;
    u32 *base_known;                                        // what the last barrier told everybody
    u32 *order;
    u32 syncs_count;
    Sync syncs[MOST_SYNCS];
    Thread thread[MOST_THREADS];
    u32 permutation[MOST_THREADS];
    Jump jumps[MOST_THREADS + 1], tops[MOST_THREADS];       // the last of `jumps` is home
    u64 context[1200];
    struct { char* p; u32 n, pc, other_pc, region, thread, other; u8 old[16]; bool on; } pending;
    u64 canary_high;
};
static State* S;

// ---- small things

static u32 draw() { u32 r = S->random; r ^= r << 13; r ^= r >> 17; r ^= r << 5; return S->random = r; }
static u32 me() { return S->base + S->current; }
static u32 at(void* pc) { return (u32)((char*)pc - S->config->text); }

static void report(u32 kind, void* pc, u32 other_pc, Region* region, char* p, u32 other, u32 size)
{
    Config& c = *S->config;
    const u32 where = at(pc);
    for (u32 i = 0; i < c.reports_count; ++i) {
        Report& r = c.reports[i];
        if (r.kind == kind && r.pc == where && r.other_pc == other_pc) { r.count++; return; }
    }
    // Notes leave half of the room to findings.
    if (c.reports_count >= (kind >= FIRST_NOTE ? c.most_reports / 2 : c.most_reports)) return;
    Report& r = c.reports[c.reports_count++];
    r.kind = kind; r.pc = where; r.other_pc = other_pc; r.thread = me(); r.other = other; r.count = 1; r.size = size;
    r.region = region ? (u32)(region - c.regions) : ~0u;
    r.offset = region ? (u64)(p - region->low) : (u64)p;
}

static void enter_locals(u32 i)
{
    Config& c = *S->config;
    S->own_low = c.locals + i * c.locals_size;
    S->own_size = c.locals_size;
}

// To the scheduler, until it comes back to this thread.
static void leave()
{
    S->config->switches++;
    S->thread[S->current].spins = 0;
    if (!_setjmp(&S->jumps[S->current])) longjmp(&S->jumps[MOST_THREADS], 1);
}

static void fatal(u32 kind, void* pc, Region* region, char* p, u32 size)
{
    report(kind, pc, 0, region, p, 0, size);
    S->stop = true;
    leave();
    for (;;) leave();                                       // nobody comes back: what was refused is never done
}

static void too_large()
{
    report(TOO_LARGE, S->config->text, 0, nullptr, nullptr, 0, 0);
    S->stop = true;
    while (S->in_fibre) leave();
}
static void* take(u64 bytes)                                // until the block ends; null if there is no more
{
    bytes = (bytes + 15) & ~15ull;
    if (bytes > (u64)(S->pool_end - S->pool)) return nullptr;
    char* found = S->pool;
    S->pool += bytes;
    return found;
}
static u32* take_clocks(u64 count, bool kept = false)       // `kept` until the launch ends
{
    if (!kept) { if (u32* found = (u32*)take(4 * count)) return found; }
    else {
        const u64 bytes = (4 * count + 15) & ~15ull;
        if (bytes <= (u64)(S->pool_end - S->pool)) return (u32*)(S->pool_end -= bytes);
    }
    too_large();
    return S->scratch;
}

// ---- who knows what

static u32 known(u32 local)
{
    const Thread& t = S->thread[S->current];
    return t.apart ? t.known[local] : S->base_known[local];
}
static bool ordered(u32 thread, u32 clock)                  // before what the current thread does now
{
    if (thread == me()) return true;
    const u32 local = thread - S->base;
    if (local < S->threads) return known(local) >= clock;
    Thread& t = S->thread[S->current];
    return t.foreign && t.foreign[thread] >= clock;
}
static void join(u32* to, const u32* from, u32 n) { for (u32 i = 0; i < n; ++i) if (from[i] > to[i]) to[i] = from[i]; }
static u32* own_known(u32 i)                                // to be changed
{
    Thread& t = S->thread[i];
    if (!t.known) t.known = take_clocks(S->threads);
    if (!t.apart) memcpy(t.known, S->base_known, 4ull * S->threads);
    t.apart = true;
    t.known[i] = t.clock;
    return t.known;
}
static bool covers(const u32* a, const u32* b, u32 n)
{
    for (u32 i = 0; i < n; ++i) if (a[i] < b[i]) return false;
    return true;
}
static u32* joined_foreign(u32* a, u32* b)                  // a vector that others may have is never changed
{
    if (!a || a == b) return b;
    if (!b || covers(a, b, S->total)) return a;
    if (covers(b, a, S->total)) return b;
    u32* both = take_clocks(S->total, true);
    memcpy(both, a, 4ull * S->total);
    join(both, b, S->total);
    return both;
}

static void on_fence(bool device)
{
    Thread& t = S->thread[S->current];
    u32* seen = own_known(S->current);
    u32*& block = t.fence_block;
    if (!block) block = take_clocks(S->threads);
    memcpy(block, seen, 4ull * S->threads);
    if (device) {
        if (!t.fence) t.fence = take_clocks(S->threads);
        memcpy(t.fence, seen, 4ull * S->threads);
        t.fence_foreign = t.foreign;
    }
    t.clock++;
}
// What a thread did before its fence comes before all that follows an atomic which sees one of its own after it.
static void on_atomic(char* p, bool device)
{
    Thread& t = S->thread[S->current];
    Sync* s = nullptr;
    u32 slot = (u32)(((u64)p >> 2) * 2654435761u) % MOST_SYNCS, tries = 0;
    for (; tries < MOST_SYNCS && S->syncs[slot].at; ++tries, slot = (slot + 1) % MOST_SYNCS)
        if (S->syncs[slot].at == p) { s = &S->syncs[slot]; break; }
    const u32 block = S->base / S->threads;
    if (s) {
        if (s->block && s->block_id == block) join(own_known(S->current), s->block, S->threads);
        if (s->device && device) {
            t.foreign = joined_foreign(t.foreign, s->device);
            s->lent |= t.foreign == s->device;
        }
    }
    if (!t.fence_block) return;
    if (!s) {
        if (S->syncs_count >= MOST_SYNCS / 2) return too_large();
        S->syncs_count++;
        s = &S->syncs[slot];
        *s = {p, nullptr, nullptr, block, false};
    }
    if (!s->block || s->block_id != block) {
        if (!s->block) s->block = take_clocks(S->threads, true);
        memset(s->block, 0, 4ull * S->threads);
        s->block_id = block;
    }
    join(s->block, t.fence_block, S->threads);
    if (t.fence && device && S->total > S->threads) {
        if (!s->device || s->lent) {
            u32* fresh = take_clocks(S->total, true);
            if (s->device) memcpy(fresh, s->device, 4ull * S->total); else memset(fresh, 0, 4ull * S->total);
            s->device = fresh;
            s->lent = false;
        }
        join(s->device + S->base, t.fence, S->threads);
        if (t.fence_foreign) join(s->device, t.fence_foreign, S->total);
    }
}

// ---- accesses

static void report_of(u32 thread, u32 kind, u32 pc, u32 other_pc, u32 region, char* p, u32 other, u32 n)
{
    const u32 current = S->current, base = S->base;
    S->base = 0; S->current = thread;
    report(kind, S->config->text + pc, other_pc, S->config->regions + region, p, other, n);
    S->base = base; S->current = current;
}
// A plain read beside atomics of others is a race, unless it only guesses: the next thing that its thread does is
// an atomic on the same word, as a loop around atomicCAS begins.
static void doubt(u32 reader, char* p, u32 n, u32 pc, u32 other_pc, u32 region, u32 other)
{
    Thread& t = S->thread[reader - S->base];
    if (reader - S->base >= S->threads || t.state == DONE || t.last != p)
        return report_of(reader, READ_WRITE, pc, other_pc, region, p, other, n);
    if (!t.doubt.on) t.doubt = {p, n, pc, other_pc, region, other, true};
}
static void no_doubt(char* p, bool atomic)
{
    Thread& t = S->thread[S->current];
    if (!t.doubt.on) return;
    const auto d = t.doubt;
    t.doubt.on = false;
    report_of(me(), atomic && p == d.p ? READ_BESIDE_ATOMIC : READ_WRITE, d.pc, d.other_pc, d.region, d.p, d.other, d.n);
}

static void settle()                                        // did the second of two racing writes change anything?
{
    auto& w = S->pending;
    if (!w.on) return;
    w.on = false;
    bool same = true;
    for (u32 i = 0; i < w.n; ++i) same &= (u8)w.p[i] == w.old[i];
    report_of(w.thread, same ? SAME_VALUE : WRITE_WRITE, w.pc, w.other_pc, w.region, w.p, w.other, w.n);
}

static Region* region_of(char* p, u64 n)
{
    Region* r = S->last;
    if (r && p >= r->low && p + n <= r->high) return r;
    for (u64 i = 0; i < S->config->regions_count; ++i) {
        r = S->config->regions + i;
        if (p >= r->low && n <= (u64)(r->high - r->low) && p + n <= r->high) return S->last = r;
    }
    return nullptr;
}

static void to_bytes(Region& r)                             // cells were of words until a part of one was used
{
    const u64 words = (u64)(r.high - r.low + 3) >> 2;
    for (u64 i = words; i-- > 0;) { const Cell c = r.cells[i]; for (int k = 3; k >= 0; --k) r.cells[4 * i + k] = c; }
    r.shift = 0;
}

// Readers side by side, of one block: a stamp that all of them share, and a bit for each; or, once they are `APART`,
// a stamp of each.
const u32 APART = 1u << 31;
static u32 stamp(u32 clock, u32 atomic) { return clock << 1 | (atomic != 0); }
static u32* many_of(Cell& c)
{
    return c.many && c.many_block == S->block_number ? (u32*)(S->config->pool + (u64)(c.many & ~APART) * 16) : nullptr;
}
static u32 stamp_of(const Cell& c, const u32* many, u32 i)  // 0 for one that is no reader
{
    if (c.many & APART) return many[i];
    return many[1 + i / 32] >> i % 32 & 1 ? many[0] : 0;
}
static u32* begin_many(Cell& c, u64 count, u32 apart)
{
    u32* many = take_clocks(count);
    memset(many, 0, 4 * count);
    c.many = (u32)(((char*)many - S->config->pool) >> 4) | apart;
    c.many_block = S->block_number;
    return many;
}
static void add_reader(Cell& c, u32* many, u32 i, u32 mine)
{
    const u32 n = S->threads, words = 1 + (n + 31) / 32;
    if (!(c.many & APART) && many[0] && many[0] != mine) {
        // Who races with a reader races with all that come after it, so that these take its place.
        bool after = !(mine & 1) || many[0] & 1;
        for (u32 k = 0; after && k < n; ++k) after = !stamp_of(c, many, k) || ordered(S->base + k, many[0] >> 1);
        if (after) memset(many, 0, 4ull * words);
        else {
            const u32* before = many;
            const Cell old = c;
            many = begin_many(c, n, APART);
            for (u32 k = 0; k < n; ++k) many[k] = stamp_of(old, before, k);
        }
    }
    if (c.many & APART) { many[i] = mine; return; }
    many[0] = mine;
    many[1 + i / 32] |= 1u << i % 32;
}

enum How : u32 { WRITE = 1, VOLATILE = 2, COPY = 4, READS = 8, ATOMIC = 16, BLOCK_ATOMIC = 32, GLOBAL = 64 };

const u32 ALIGN = 16;                                       // above this bit, the alignment that is needed

static bool both_atomic(u32 mine, u32 theirs, u32 thread)
{
    if (!mine || !theirs) return false;
    return (mine == 1 && theirs == 1) || thread / S->threads == S->base / S->threads;
}

struct Found { u32 kind, other, other_pc; };
static void race(Found& found, u32 kind, u32 thread, u32 pc)
{
    if (!found.kind || (found.kind >= FIRST_NOTE && kind < FIRST_NOTE)) found = {kind, thread, pc};
}

static void check_write(Found& found, Cell& c, bool write, u32 atomic)
{
    if (!c.writer || ordered(c.writer - 1, c.written)) return;
    const u32 other = c.writer - 1;
    if (both_atomic(atomic, c.write_atomic, other)) return;
    u32 kind;
    if (atomic && c.write_atomic) kind = BLOCK_SCOPE;
    else if (write) kind = atomic || c.write_atomic ? ATOMIC_PLAIN : WRITE_WRITE;
    else kind = c.write_atomic ? READ_BESIDE_ATOMIC : READ_WRITE;
    race(found, kind, other, c.write_pc);
}
static void check_reader(Found& found, u32 reader, u32 clock, u32 pc, u32 their_atomic, u32 atomic)
{
    if (!reader || ordered(reader - 1, clock)) return;
    if (both_atomic(atomic, their_atomic, reader - 1)) return;
    if (atomic && their_atomic) return race(found, BLOCK_SCOPE, reader - 1, pc);
    race(found, atomic ? READ_BESIDE_ATOMIC : their_atomic ? ATOMIC_PLAIN : READ_WRITE, reader - 1, pc);
}

static void note_read(Cell& c, u32 clock, u32 pc, u32 atomic)
{
    const u32 mine = me(), block_low = S->base;
    u32* many = many_of(c);
    if (many) add_reader(c, many, S->current, stamp(clock, atomic));
    else if (c.reader && c.reader - 1 != mine && !ordered(c.reader - 1, c.read)) {
        if (c.reader - 1 - block_low < S->threads) {
            many = begin_many(c, 1 + (S->threads + 31) / 32, 0);
            add_reader(c, many, c.reader - 1 - block_low, stamp(c.read, c.read_atomic));
            add_reader(c, many_of(c), S->current, stamp(clock, atomic));
        } else if (!c.past || ordered(c.past - 1, c.past_clock) || (c.past_atomic && !c.read_atomic)) {
            c.past = c.reader; c.past_clock = c.read; c.past_pc = c.read_pc; c.past_atomic = c.read_atomic;
        }
    }
    c.reader = mine + 1; c.read = clock; c.read_pc = pc; c.read_atomic = atomic;
}

static void touch(Found& found, Cell& c, bool write, bool reads, u32 atomic, u32 clock, u32 pc)
{
    const u32 mine = me();
    check_write(found, c, write, atomic);
    if (write) {
        if (c.reader != mine + 1) check_reader(found, c.reader, c.read, c.read_pc, c.read_atomic, atomic);
        check_reader(found, c.past, c.past_clock, c.past_pc, c.past_atomic, atomic);
        if (u32* many = many_of(c))
            for (u32 i = 0; i < S->threads; ++i)
                if (const u32 theirs = i != S->current ? stamp_of(c, many, i) : 0)
                    check_reader(found, S->base + i + 1, theirs >> 1, c.read_pc, theirs & 1, atomic);
        if (!atomic) c.reader = c.past = c.many = 0;        // whoever races with them races with this write
        c.writer = mine + 1; c.written = clock; c.write_pc = pc; c.write_atomic = atomic;
    }
    if (!write || atomic || reads) note_read(c, clock, pc, atomic);
}

// In an audit another pass of the compiler's announces all accesses as well: each must be one that comes here next.
static void audit(char* next)
{
    const Region* r = S->audited ? region_of(S->audited, 1) : nullptr;
    S->config->unannounced += S->audited && !(r && r->kind == READ_ONLY);    // of constants, reads are left out
    S->config->audited += next != nullptr;
    S->audited = next;
}

// Local arrays without values: the compiler fills them with a pattern, which no text does so.
static bool is_local(const char* p, u64 n) { return (u64)(p - S->own_low) < S->own_size && n <= S->own_size - (u64)(p - S->own_low); }
static void mark_unset(char* p, u64 n, u8 byte)
{
    Thread& t = S->thread[S->current];
    if (S->config->tiles_size) return;                      // texts with Warp's headers are not filled
    if (!is_local(p, n) || !(byte == 0xaa || (byte == 0xff && !S->config->ones))) return;
    if (!t.unset_low || p < t.unset_low) t.unset_low = p;
    if (p + n > t.unset_high) t.unset_high = p + n;
    memset(S->config->unset + (p - S->config->locals), 1, n);
}
static void forget_unset(Thread& t, char* top)              // of functions that have returned
{
    if (!t.unset_low || t.unset_low >= top) return;
    char* high = top < t.unset_high ? top : t.unset_high;
    memset(S->config->unset + (t.unset_low - S->config->locals), 0, high - t.unset_low);
    t.unset_low = high < t.unset_high ? high : nullptr;
    if (!t.unset_low) t.unset_high = nullptr;
}
static bool is_pattern(const char* p, u64 n)                // of a whole number, or a pointer, without a value
{
    if (S->config->patterns || n < 4 || n > 8) return false;
    u64 i = 0;
    while (i < n && (u8)p[i] == 0xaa) ++i;
    return i == n;
}
static void local_access(char* p, u64 n, u32 how, void* where)
{
    S->config->told_locals++;
    if (p < S->own_low + S->config->tiles_size) return;
    if (how & (ATOMIC | BLOCK_ATOMIC | GLOBAL)) return fatal(WRONG_MEMORY, where, nullptr, p, (u32)n);
    if (p < S->thread[S->current].local_top) return fatal(RETURNED, where, nullptr, p, (u32)n);
    const bool reads = how & READS || !(how & WRITE);
    if (reads && !(how & COPY) && is_pattern(p, n)) report(UNSET_READ, where, 0, nullptr, p, 0, (u32)n);
    if (!S->thread[S->current].unset_low) return;
    u8* unset = S->config->unset + (p - S->config->locals);
    u64 count = 0;
    if (reads) for (u64 i = 0; i < n; ++i) count += unset[i];
    if (count && (!(how & COPY) || count == n)) report(UNSET_READ, where, 0, nullptr, p, 0, (u32)n);
    else if (!(how & WRITE)) return;
    memset(unset, 0, n);
}

static void access(char* p, u64 n, u32 how, void* where)
{
    if (p == S->audited) S->audited = nullptr;
    const u64 align = how >> ALIGN;
    if (align && (u64)p % align) return fatal(MISALIGNED, where, region_of(p, n), p, (u32)n);
    if (is_local(p, n)) return local_access(p, n, how, where);
    Config& config = *S->config;
    settle();
    Thread& t = S->thread[S->current];
    if (t.atomic && p >= t.atomic && p + n <= t.atomic + t.atomic_size) return;
    Region* r = region_of(p, n);
    if (!r) return fatal(OUT_OF_BOUNDS, where, nullptr, p, (u32)n | (how & WRITE ? 1u << 31 : 0));
    const bool write = how & WRITE;
    if (how & GLOBAL && r->kind == SHARED) return fatal(WRONG_MEMORY, where, r, p, (u32)n);
    if (r->kind >= READ_ONLY) {
        if (write) fatal(INPUT_WRITTEN, where, r, p, (u32)n);
        return;
    }
    t.again = t.last == p ? t.again + 1 : 0;
    t.last = p;
    // Before it is noted, so that what is noted and what is done are one step. Between a look at a word and its
    // change others go on for long; but only the first times, as who tries again shall end.
    if (config.preempt && t.again && t.again < 4) for (u32 k = draw() % 16; k > 0; --k) leave();
    else if (config.preempt && draw() % (t.again ? 2 : config.preempt) == 0) leave();
    else if (how & (ATOMIC | BLOCK_ATOMIC | VOLATILE) && ++t.spins > 32) leave();
    no_doubt(p, how & (ATOMIC | BLOCK_ATOMIC));
    config.accesses++;
    if (r->shift && ((u64)(p - r->low) & 3 || n & 3)) to_bytes(*r);
    const u32 atomic = how & BLOCK_ATOMIC ? 2 : how & ATOMIC ? 1 : 0, clock = t.clock, pc = at(where);
    const bool reads = how & READS || !write;
    const u64 first = (u64)(p - r->low) >> r->shift, cells = n >> r->shift;
    Found found = {0, 0, 0};
    u64 unset = 0;
    for (u64 i = first; i < first + cells; ++i) {
        Cell& c = r->cells[i];
        if (reads && !c.init && !r->set) unset++;
        touch(found, c, write, reads && write, atomic, clock, pc);
        if (write) c.init = 1;
    }
    if (unset && (!(how & COPY) || unset == cells)) {       // a struct's copy may read its padding
        report(UNSET_READ, where, 0, r, p, 0, (u32)n);
        for (u64 i = first; i < first + cells; ++i) r->cells[i].init = 1;
    }
    if (!found.kind) return;
    if (found.kind == WRITE_WRITE && n <= 16) {
        auto& w = S->pending;
        w.p = p; w.n = (u32)n; w.pc = pc; w.other_pc = found.other_pc; w.region = (u32)(r - config.regions);
        w.thread = me(); w.other = found.other; w.on = true;
        memcpy(w.old, p, n);
    } else if (found.kind == READ_BESIDE_ATOMIC) {
        const u32 region = (u32)(r - config.regions);
        if (write) doubt(found.other, p, (u32)n, found.other_pc, pc, region, me());
        else doubt(me(), p, (u32)n, pc, found.other_pc, region, found.other);
    } else report(found.kind, where, found.other_pc, r, p, found.other, (u32)n);
}

// ---- barriers and warps

static u64 on_barrier(u32 op, u64 value, void* where)       // op: 0 plain, 1 count, 2 and, 3 or
{
    settle();
    no_doubt(nullptr, false);
    Thread& t = S->thread[S->current];
    t.state = AT_BARRIER; t.where = where; t.op = op; t.value = value;
    leave();
    return t.result;
}

enum WarpOp : u32 {
    SYNC, SHFL, SHFL_UP, SHFL_DOWN, SHFL_XOR, BALLOT, ANY, ALL, ACTIVE, MATCH_ANY, MATCH_ALL, ADD, MIN, MAX, AND, OR,
    XOR, MIN_SIGNED, MAX_SIGNED
};
static u64 on_warp(u32 op, u32 mask, u64 value, u32 arg, u32 width, void* where)
{
    settle();
    no_doubt(nullptr, false);
    Thread& t = S->thread[S->current];
    const u32 lane = S->current % 32;
    if (op == ACTIVE && S->config->lone) return 1u << lane;
    if (op != ACTIVE && !(mask >> lane & 1)) fatal(BAD_MASK, where, nullptr, (char*)(u64)mask, lane);
    t.state = AT_WARP; t.op = op; t.mask = mask; t.value = value; t.arg = arg; t.width = width; t.where = where;
    leave();
    return t.result;
}

static int source_lane(const Thread& t, int lane)
{
    const int width = t.width ? (int)t.width : 32, first = lane / width * width, arg = (int)(t.arg & 31);
    switch (t.op) {
    case SHFL: return first + (arg & (width - 1));
    case SHFL_UP: return lane - arg >= first ? lane - arg : lane;
    case SHFL_DOWN: return lane + arg < first + width ? lane + arg : lane;
    default: return (lane ^ arg) < first + width ? lane ^ arg : lane;
    }
}
static u64 folded(u32 op, const Thread* t, u32 members)
{
    u64 all = 0; bool first = true;
    for (u32 k = 0; k < 32; ++k) {
        if (!(members >> k & 1)) continue;
        const u32 v = (u32)t[k].value, a = (u32)all;
        if (first) { all = v; first = false; continue; }
        switch (op) {
        case ADD: all = a + v; break;
        case MIN: all = v < a ? v : a; break;
        case MAX: all = v > a ? v : a; break;
        case MIN_SIGNED: all = (int)v < (int)a ? v : a; break;
        case MAX_SIGNED: all = (int)v > (int)a ? v : a; break;
        case AND: all = a & v; break;
        case OR: all = a | v; break;
        default: all = a ^ v;
        }
    }
    return (u32)all;
}

static void release_warp(u32 warp, u32 members)             // all of them wait with one operation
{
    Thread* t = S->thread + warp * 32;
    const u32 first = (u32)__builtin_ctz(members);
    u32 ballot = 0, same = 0;
    for (u32 l = 0; l < 32; ++l) if (members >> l & 1) {
        if (t[l].value) ballot |= 1u << l;
        if (t[l].value == t[first].value) same |= 1u << l;
    }
    for (u32 l = 0; l < 32; ++l) {
        if (!(members >> l & 1)) continue;
        Thread& m = t[l];
        switch (m.op) {
        case SYNC: break;
        case SHFL: case SHFL_UP: case SHFL_DOWN: case SHFL_XOR: {
            const int from = source_lane(m, (int)l);
            if (members >> from & 1) { m.result = t[from].value; break; }
            m.result = S->config->undefined;
            const u32 current = S->current;
            S->current = warp * 32 + l;
            report(INACTIVE_LANE, m.where, 0, nullptr, (char*)(u64)from, 0, 0);
            S->current = current;
            break;
        }
        case BALLOT: m.result = ballot; break;
        case ANY: m.result = ballot != 0; break;
        case ALL: m.result = ballot == members; break;
        case ACTIVE: m.result = members; break;
        case MATCH_ANY:
            m.result = 0;
            for (u32 k = 0; k < 32; ++k) if (members >> k & 1 && t[k].value == m.value) m.result |= 1u << k;
            break;
        case MATCH_ALL: m.result = same == members ? members : 0; break;
        default: m.result = folded(m.op, t, members);
        }
    }
    if (t[first].op == SYNC) {
        const u32 n = S->threads;
        u32* all = own_known(warp * 32 + first);
        u32* foreign = nullptr;
        for (u32 l = 0; l < 32; ++l) if (members >> l & 1) {
            join(all, own_known(warp * 32 + l), n);
            foreign = joined_foreign(foreign, t[l].foreign);
        }
        for (u32 l = 0; l < 32; ++l) if (members >> l & 1) {
            if (t[l].known != all) memcpy(t[l].known, all, 4ull * n);
            t[l].foreign = foreign;
            t[l].clock++;
        }
    }
    for (u32 l = 0; l < 32; ++l) if (members >> l & 1) t[l].state = READY;
}
static bool try_warps(bool active)
{
    bool any = false;
    for (u32 warp = 0; warp * 32 < S->threads; ++warp) {
        Thread* t = S->thread + warp * 32;
        const u32 n = S->threads - warp * 32 < 32 ? S->threads - warp * 32 : 32;
        for (u32 l = 0; l < n; ++l) {
            if (t[l].state != AT_WARP || (t[l].op == ACTIVE) != active) continue;
            u32 there = 0, live = 0;
            for (u32 k = 0; k < n; ++k) {
                if (t[k].state != DONE) live |= 1u << k;
                if (t[k].state == AT_WARP && t[k].op == t[l].op &&
                    (active ? t[k].where == t[l].where : t[k].mask == t[l].mask)) there |= 1u << k;
            }
            if (active) { release_warp(warp, there); any = true; }
            else if ((there & t[l].mask) == (t[l].mask & live)) { release_warp(warp, there & t[l].mask); any = true; }
        }
    }
    return any;
}
static bool try_barrier()
{
    u32 waiting = 0, done = 0, count = 0;
    Thread* one = nullptr;
    for (u32 i = 0; i < S->threads; ++i) {
        Thread& t = S->thread[i];
        if (t.state == DONE) done++;
        else if (t.state == AT_BARRIER) {
            waiting++; count += t.value != 0;
            if (one && (one->where != t.where || one->op != t.op)) {
                S->current = i;
                report(DIVERGENT, t.where, at(one->where), nullptr, nullptr, S->base + (u32)(one - S->thread), 0);
                S->stop = true;
                return true;
            }
            one = &t;
        } else return false;
    }
    if (!waiting) return false;
    if (done) { S->current = (u32)(one - S->thread); report(FINISHED, one->where, 0, nullptr, nullptr, 0, done); }
    u32* foreign = nullptr;
    for (u32 i = 0; i < S->threads; ++i) {
        Thread& t = S->thread[i];
        if (t.state != AT_BARRIER) continue;                // finished: what it did since the last barrier, who waits
        foreign = joined_foreign(foreign, t.foreign);       // here knows only if it has learned it otherwise
        if (t.apart) join(S->base_known, t.known, S->threads);
    }
    for (u32 i = 0; i < S->threads; ++i) {
        Thread& t = S->thread[i];
        if (t.state != AT_BARRIER) continue;
        S->base_known[i] = t.clock;
        t.apart = false;
        t.foreign = foreign;
        t.clock++;
        t.state = READY;
        t.result = one->op == 2 ? count == waiting : one->op == 3 ? count > 0 : count;
    }
    return true;
}

// ---- fibres

// The base of a fibre never returns: what is left in the middle of a kernel is started again from here.
static void base_of_fibre()
{
    _setjmp(&S->tops[S->current]);
    leave();
    enter_locals(S->current);
    S->config->call(S->config->arguments);
    settle();
    no_doubt(nullptr, false);
    audit(nullptr);
    S->thread[S->current].state = DONE;
    longjmp(&S->tops[S->current], 1);
}
static __attribute__((noinline)) void resume(u32 i)
{
    S->current = i;
    S->in_fibre = true;
    enter_locals(i);
    if (_setjmp(&S->jumps[MOST_THREADS])) { S->in_fibre = false; return; }
    longjmp(&S->jumps[i], 1);
}
static __attribute__((noinline)) void rewind(u32 i)
{
    S->current = i;
    if (_setjmp(&S->jumps[MOST_THREADS])) return;
    longjmp(&S->tops[i], 1);
}
struct Context { u64 flags; void* link; void* sp; u64 sp_flags; u64 size; };
static __attribute__((noinline)) void prime(u32 i)
{
    S->current = i;
    if (_setjmp(&S->jumps[MOST_THREADS])) return;
    Context* context = (Context*)S->context;
    getcontext(context);
    context->sp = S->config->control + i * (S->config->control_size + S->config->control_gap);
    context->size = S->config->control_size;
    context->link = nullptr;
    makecontext(context, base_of_fibre, 0);
    setcontext(context);
}

static void start_block(u32 block)
{
    Config& c = *S->config;
    S->base = block * S->threads;
    S->block_number++;
    S->last = nullptr;
    S->pool = c.pool + 16;                                  // 0 is no place there
    S->base_known = take_clocks(S->threads);
    memset(S->base_known, 0, 4ull * S->threads);
    c.index->block = {block % c.grid.x, block / c.grid.x % c.grid.y, block / c.grid.x / c.grid.y};
    for (u64 i = 0; i < c.regions_count; ++i) {
        Region& r = c.regions[i];
        if (r.kind != SHARED) continue;
        memset(r.low, 0xcb, r.high - r.low);
        memset(r.cells, 0, sizeof(Cell) * ((u64)(r.high - r.low + 3) >> r.shift));
    }
    for (u32 i = 0; i < S->threads; ++i) {
        Thread& t = S->thread[i];
        forget_unset(t, t.unset_high);
        memset(&t, 0, sizeof t);
        t.clock = 1;
        t.local_top = c.locals + (i + 1) * c.locals_size;
        S->permutation[i] = c.order == BACKWARD ? S->threads - 1 - i : i;
        rewind(i);
    }
}
static void stuck()
{
    // The line of who waits for lanes is more telling than that of who waits at a barrier.
    for (u32 pass = 0; pass < 2; ++pass)
        for (u32 i = 0; i < S->threads; ++i) {
            const Thread& t = S->thread[i];
            if (t.state != (pass ? AT_BARRIER : AT_WARP)) continue;
            S->current = i;
            report(DEADLOCK, t.where, 0, nullptr, (char*)(u64)t.mask, 0, t.state);
            S->stop = true;
            return;
        }
}
static void run_block(u32 block)
{
    Config& c = *S->config;
    start_block(block);
    u32 rounds = 0;
    for (;;) {
        if (c.order == RANDOM)
            for (u32 i = S->threads - 1; i > 0; --i) {
                const u32 j = draw() % (i + 1), x = S->permutation[i];
                S->permutation[i] = S->permutation[j];
                S->permutation[j] = x;
            }
        bool ran = false;
        u32 done = 0;
        for (u32 k = 0; k < S->threads; ++k) {
            const u32 i = S->permutation[k];
            if (S->thread[i].state == DONE) done++;
            if (S->thread[i].state != READY) continue;
            ran = true;
            c.index->thread = {i % c.block.x, i / c.block.x % c.block.y, i / c.block.x / c.block.y};
            resume(i);
            if (S->stop) return;
        }
        if (done == S->threads) return;
        // Who spins always runs: warps go on beside it, and those that ask who is active do not wait for ever.
        const bool freed = try_warps(false) || (ran && rounds++ % 16 == 15 && try_warps(true));
        if (!(ran || freed || try_barrier() || try_warps(true))) return stuck();
        if (S->stop) return;
    }
}

// ---- what units call

extern "C" {
#define HERE __builtin_return_address(0)
#define WORD(n) ((n) < 8 ? (n) : 8) << ALIGN               // what is not packed is where a word of that size may be
#define ACCESS(n)                                                                                       \
    void __tsan_read##n(char* p) { access(p, n, WORD(n), HERE); }                                       \
    void __tsan_write##n(char* p) { access(p, n, WRITE | WORD(n), HERE); }                              \
    void __tsan_unaligned_read##n(char* p) { access(p, n, 0, HERE); }                                   \
    void __tsan_unaligned_write##n(char* p) { access(p, n, WRITE, HERE); }                              \
    void __tsan_volatile_read##n(char* p) { access(p, n, VOLATILE | WORD(n), HERE); }                   \
    void __tsan_volatile_write##n(char* p) { access(p, n, VOLATILE | WRITE | WORD(n), HERE); }          \
    void __tsan_unaligned_volatile_read##n(char* p) { access(p, n, VOLATILE, HERE); }                   \
    void __tsan_unaligned_volatile_write##n(char* p) { access(p, n, VOLATILE | WRITE, HERE); }
ACCESS(1) ACCESS(2) ACCESS(4) ACCESS(8) ACCESS(16)
void* __tsan_memcpy(char* to, const char* from, u64 n)
{
    if (n) { access((char*)from, n, COPY, HERE); access(to, n, WRITE, HERE); }
    memmove(to, from, n);
    if (n && is_local(to, n)) {                             // a pattern may be copied from a constant
        u64 same = 0;
        while (same < n && to[same] == to[0]) ++same;
        const Region* r = same == n && !is_local(from, n) ? region_of((char*)from, n) : nullptr;
        if (r && r->kind == READ_ONLY) mark_unset(to, n, (u8)to[0]);
    }
    return to;
}
void* __tsan_memmove(char* to, const char* from, u64 n) { return __tsan_memcpy(to, from, n); }
void* __tsan_memset(char* to, int value, u64 n)
{
    if (n) { access(to, n, WRITE, HERE); mark_unset(to, n, (u8)value); }
    return memset(to, value, n);
}
#define AUDIT(n) void __sanitizer_cov_load##n(char* p) { audit(p); } void __sanitizer_cov_store##n(char* p) { audit(p); }
AUDIT(1) AUDIT(2) AUDIT(4) AUDIT(8) AUDIT(16)
void __tsan_init() {}
void** __safestack_pointer_address()
{
    Thread& t = S->thread[S->current];
    forget_unset(t, t.local_top);
    return (void**)&t.local_top;
}
void __sanitizer_cov_trace_pc()
{
    const u64 room = (u64)(S->thread[S->current].local_top - S->own_low);
    const u64 control = (u64)((char*)__builtin_frame_address(0) - S->config->control) %
        (S->config->control_size + S->config->control_gap);
    if (room > S->own_size || room < S->config->tiles_size + 512 || control < 8192) fatal(DEEP, HERE, nullptr, nullptr, 0);
    if (!S->steps_left) { settle(); fatal(HANG, HERE, nullptr, nullptr, 0); }
    S->steps_left--;
}
void __ubsan_handle_out_of_bounds_minimal_abort() { fatal(LOCAL_BOUNDS, HERE, nullptr, nullptr, 0); }
void __ubsan_handle_local_out_of_bounds_minimal_abort() { fatal(LOCAL_BOUNDS, HERE, nullptr, nullptr, 0); }
void __ubsan_handle_type_mismatch_minimal_abort() { fatal(MISALIGNED, HERE, nullptr, nullptr, 0); }
void __ubsan_handle_alignment_assumption_minimal_abort() { fatal(MISALIGNED, HERE, nullptr, nullptr, 0); }
void __ubsan_handle_shift_out_of_bounds_minimal_abort() { fatal(SHIFT, HERE, nullptr, nullptr, 0); }
void __ubsan_handle_float_cast_overflow_minimal_abort() { fatal(CONVERSION, HERE, nullptr, nullptr, 0); }
void __ubsan_handle_builtin_unreachable_minimal_abort() { fatal(TRAP, HERE, nullptr, nullptr, 0); }
void __ubsan_handle_missing_return_minimal_abort() { fatal(TRAP, HERE, nullptr, nullptr, 0); }
void __ubsan_handle_missing_return_minimal() { fatal(TRAP, HERE, nullptr, nullptr, 0); }
void __ubsan_handle_builtin_unreachable_minimal() { fatal(TRAP, HERE, nullptr, nullptr, 0); }

void wm_access(char* p, u64 n, u32 how, void* where) { access(p, n, how, where); }
void wm_atomic(char* p, u64 n, u32 block, void* where)
{
    access(p, n, WRITE | READS | (block ? BLOCK_ATOMIC : ATOMIC) | (u32)n << ALIGN, where);
    on_atomic(p, !block);
}
// Around an atomic that is written as accesses which are announced: none of them is one of its own.
void wm_atomic_begins(char* p, u64 n, void* where)
{
    wm_atomic(p, n, 0, where);
    S->thread[S->current].atomic = p;
    S->thread[S->current].atomic_size = n;
}
void wm_atomic_ends() { S->thread[S->current].atomic = nullptr; }
char* wm_tiles() { return S->own_low; }
// Whether threads run first to last; and for who knows that two meet at a place.
u32 wm_in_turn() { return S->config->order == FORWARD; }
void wm_race(char* p) { fatal(WRITE_WRITE, HERE, region_of(p, 1), p, 1); }
void wm_fence(u32 device) { settle(); on_fence(device); }
u64 wm_barrier(u32 op, u64 value, void* where) { return on_barrier(op, value, where); }
u64 wm_warp(u32 op, u32 mask, u64 value, u32 arg, u32 width, void* where) { return on_warp(op, mask, value, arg, width, where); }
// What printf reads of the kernel's memory: its format, and strings. It has no %n, as nothing comes back to the device.
int wm_printf(const char* format, ...)
{
    void* where = HERE;
    __builtin_va_list values;
    __builtin_va_start(values, format);
    int count = 0;
    const auto belongs = [](char c) {
        for (const char* p = "-+ #0123456789.*hljztL"; *p; ++p) if (*p == c) return true;
        return false;
    };
    const auto next = [&](const char*& p) { access((char*)++p, 1, 0, where); return *p; };
    access((char*)format, 1, 0, where);
    for (const char* p = format; *p; next(p)) {
        if (*p != '%') continue;
        u32 longs = 0;
        char c = next(p);
        for (; belongs(c); c = next(p)) {                   // flags, width, precision, size
            longs += c == 'l' || c == 'j' || c == 'z' || c == 't';
            if (c == '*') { (void)__builtin_va_arg(values, int); ++count; }
        }
        if (c == '%') continue;
        ++count;
        switch (c) {
        case 'd': case 'i': case 'u': case 'o': case 'x': case 'X': case 'c':
            if (longs) (void)__builtin_va_arg(values, long); else (void)__builtin_va_arg(values, int);
            break;
        case 'a': case 'A': case 'e': case 'E': case 'f': case 'F': case 'g': case 'G':
            (void)__builtin_va_arg(values, double);
            break;
        case 'p': (void)__builtin_va_arg(values, void*); break;
        case 's': {
            const char* text = __builtin_va_arg(values, const char*);
            access((char*)text, 1, 0, where);
            while (*text) next(text);
            break;
        }
        default: fatal(FORMAT, where, nullptr, nullptr, 0);
        }
    }
    __builtin_va_end(values);
    return count;
}
void wm_trap(u32 assertion, void* where) { settle(); fatal(assertion ? ASSERT : TRAP, where, nullptr, nullptr, 0); }
u64 wm_clock() { return S->config->most_steps - S->steps_left; }
void wm_yield() { settle(); leave(); }

// ---- what machine.py calls

u64 wm_state_size() { return sizeof(State); }
u64 wm_cell_size() { return sizeof(Cell); }
void wm_start(State* state, u64 canary, u32* order)
{
    S = state;
    memset(S, 0, sizeof(State));
    S->canary_low = S->canary_high = canary;
    S->order = order;
}
// Fibres for blocks of so many threads, before the process is sealed: their first entry asks the system.
void wm_prime(Config* config, u32 count)
{
    S->config = config;
    for (u32 i = 0; i < count; ++i) { prime(i); }
}
// A signal is a crash of the thread that runs, if one runs.
void wm_signal(int number, void*, char* context)
{
    enum { SIGILL = 4, SIGFPE = 8, PROGRAM_COUNTER = 40 + 8 * 16 };   // of ucontext_t, x86-64
    if (!S || !S->in_fibre) { _exit(3); }
    void* where = *(void**)(context + PROGRAM_COUNTER);
    fatal(number == SIGFPE ? DIVISION : number == SIGILL ? BAD_CALL : CRASH, where, nullptr, nullptr, 0);
}
int wm_launch(Config* config)
{
    S->config = config;
    S->stop = false;
    S->random = (config->seed + 1) * 2654435761u | 1;
    S->pending.on = false;
    S->steps_left = config->most_steps;
    S->pool = config->pool + 16;
    S->pool_end = config->pool_end;
    S->in_fibre = false;
    S->audited = nullptr;
    S->last = nullptr;
    S->threads = config->block.x * config->block.y * config->block.z;
    const u32 blocks = config->grid.x * config->grid.y * config->grid.z;
    S->total = S->threads * blocks;
    S->block_number = 0;
    S->syncs_count = 0;
    memset(S->syncs, 0, sizeof S->syncs);
    S->scratch = take_clocks(S->total, true);
    config->index->size = config->block;
    config->index->grid = config->grid;
    for (u32 i = 0; i < blocks; ++i) S->order[i] = config->order == BACKWARD ? blocks - 1 - i : i;
    if (config->order == RANDOM)
        for (u32 i = blocks - 1; i > 0; --i) {
            const u32 j = draw() % (i + 1), x = S->order[i];
            S->order[i] = S->order[j];
            S->order[j] = x;
        }
    for (u32 i = 0; i < blocks && !S->stop; ++i) run_block(S->order[i]);
    settle();
    config->steps = config->most_steps - S->steps_left;
    return S->canary_low == config->canary && S->canary_high == config->canary ? (S->stop ? 1 : 0) : -1;
}
}
