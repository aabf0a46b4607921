// A grid of blocks of threads on the CPU: as much of CUDA as kernels.cu uses.
//
// By default the threads of a block are fibers of one thread of the machine, which take turns at
// barriers. That is fast, the same every time, and finds threads that wait at different barriers or
// leave while others wait. With -DREAL_THREADS every one is a thread of the machine and several
// blocks run at a time, for the sanitizers to see what is not in order between them.
#pragma once

#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#define __global__
#define __device__ static inline
#define SHARED_MEMORY(name) long long* name = static_cast<long long*>(grid::self->block->memory)
#define __syncthreads() grid::wait_for_block(__LINE__)
#define __syncwarp(mask) grid::wait_for_warp(mask, __LINE__)
#define __shfl_xor_sync(mask, value, step) grid::exchange(mask, value, step, __LINE__)
#define __ballot_sync(mask, condition) grid::ballot(mask, condition, __LINE__)

#define threadIdx grid::self->index
#define blockIdx grid::self->block->index
#define blockDim grid::self->block->size
#define gridDim grid::self->block->grid_size

namespace grid {

constexpr unsigned WARP_SIZE = 32;
constexpr unsigned WHOLE = 0xffffffffu;

struct Triple {
    unsigned x, y, z;
};

struct Warp {
    int slots[2][WARP_SIZE];  // by turns: one may still be read while the other is written
#ifdef REAL_THREADS
    pthread_barrier_t barrier;
#endif
};

struct Block {
    Triple index, size, grid_size;
    void* memory;
    std::vector<Warp> warps;
#ifdef REAL_THREADS
    pthread_barrier_t barrier;
#endif
};

enum class Waits { no, for_warp, for_block };

struct Thread {
    Triple index;
    Block* block;
    int turn;
    bool done;
    Waits waits;
    int line;
    jmp_buf state;
    bool started;
    void* stack;
};

#ifdef REAL_THREADS
static thread_local Thread* self;
#else
static Thread* self;
static jmp_buf scheduler;

static void pause(Waits what, int line)
{
    self->waits = what;
    self->line = line;
    if (_setjmp(self->state) == 0) _longjmp(scheduler, 1);
}
#endif

static inline void wait_for_block(int line)
{
#ifdef REAL_THREADS
    (void)line;
    pthread_barrier_wait(&self->block->barrier);
#else
    pause(Waits::for_block, line);
#endif
}

static inline void wait_for_warp(unsigned mask, int line)
{
    if (mask != WHOLE) throw std::runtime_error("only whole warps are emulated");
#ifdef REAL_THREADS
    (void)line;
    pthread_barrier_wait(&self->block->warps[self->index.x / WARP_SIZE].barrier);
#else
    pause(Waits::for_warp, line);
#endif
}

// What all threads of the warp have given.
static inline const int* meet(unsigned mask, int value, int line)
{
    self->turn = 1 - self->turn;
    int* slots = self->block->warps[self->index.x / WARP_SIZE].slots[self->turn];
    slots[self->index.x % WARP_SIZE] = value;
    wait_for_warp(mask, line);
    return slots;
}

static inline int exchange(unsigned mask, int value, int step, int line)
{
    const int* slots = meet(mask, value, line);
    return slots[self->index.x % WARP_SIZE ^ static_cast<unsigned>(step)];
}

static inline unsigned ballot(unsigned mask, bool condition, int line)
{
    const int* slots = meet(mask, condition, line);
    unsigned bits = 0;
    for (unsigned lane = 0; lane < WARP_SIZE; ++lane) bits |= unsigned(slots[lane] != 0) << lane;
    return bits;
}

static inline void set_block(Block& block, long long number, Triple grid, size_t memory_size)
{
    block.grid_size = grid;
    block.index = {unsigned(number % grid.x), unsigned(number / grid.x % grid.y),
                   unsigned(number / grid.x / grid.y)};
    if (memory_size) memset(block.memory, 0xA5, memory_size);  // as a GPU, not zeroed
}

using Kernel = std::function<void()>;

#ifdef REAL_THREADS

constexpr long long BLOCKS_AT_A_TIME = 3;

// The threads of one block after another; no order holds between it and other runs.
static inline void run_blocks(const Kernel& kernel, Triple grid, Triple size, size_t memory_size,
                              long long first, long long n_blocks)
{
    Block block{};
    block.size = size;
    block.warps = std::vector<Warp>(size.x / WARP_SIZE);
    pthread_barrier_init(&block.barrier, nullptr, size.x);
    for (Warp& warp : block.warps) pthread_barrier_init(&warp.barrier, nullptr, WARP_SIZE);
    const auto run = [&](unsigned number) {
        Thread thread{};
        thread.index = {number, 0, 0};
        thread.block = &block;
        self = &thread;
        for (long long b = first; b < n_blocks; b += BLOCKS_AT_A_TIME) {
            if (number == 0) {
                free(block.memory);
                block.memory = malloc(memory_size);  // so that its end is watched
                set_block(block, b, grid, memory_size);
            }
            pthread_barrier_wait(&block.barrier);
            kernel();
            pthread_barrier_wait(&block.barrier);
        }
    };
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < size.x; ++i) threads.emplace_back(run, i);
    for (std::thread& thread : threads) thread.join();
    free(block.memory);
}

static inline void run(const Kernel& kernel, Triple grid, Triple size, size_t memory_size)
{
    const long long n_blocks = 1LL * grid.x * grid.y * grid.z;
    std::vector<std::thread> runs;
    for (long long first = 0; first < std::min(BLOCKS_AT_A_TIME, n_blocks); ++first)
        runs.emplace_back(run_blocks, std::cref(kernel), grid, size, memory_size, first, n_blocks);
    for (std::thread& one : runs) one.join();
}

#else

constexpr size_t STACK_SIZE = 1 << 16;

static std::vector<std::unique_ptr<Thread> > fibers;  // kept from launch to launch
static const Kernel* running;
static std::string failure;

static void live()
{
    for (;;) {
        try {
            (*running)();
        } catch (const std::exception& error) {
            failure = error.what();
        }
        self->done = true;
        pause(Waits::no, 0);
    }
}

static inline void go_on(Thread& thread)
{
    self = &thread;
    if (_setjmp(scheduler)) return;
    if (thread.started) _longjmp(thread.state, 1);
    thread.started = true;
    ucontext_t context;
    getcontext(&context);
    context.uc_stack.ss_sp = thread.stack;
    context.uc_stack.ss_size = STACK_SIZE;
    context.uc_link = nullptr;
    makecontext(&context, live, 0);
    setcontext(&context);
}

// Lets threads go on that all wait for the same; returns whether they did.
static inline bool release(unsigned first, unsigned last, Waits what)
{
    for (unsigned i = first; i < last; ++i)
        if (fibers[i]->done || fibers[i]->waits != what) return false;
    for (unsigned i = first; i < last; ++i) {
        if (fibers[i]->line != fibers[first]->line)
            throw std::runtime_error("threads wait at different barriers: lines " +
                                     std::to_string(fibers[first]->line) + " and " +
                                     std::to_string(fibers[i]->line));
        fibers[i]->waits = Waits::no;
    }
    return true;
}

static inline void run_warp(unsigned first, unsigned last)
{
    do {
        for (unsigned i = first; i < last; ++i)
            if (!fibers[i]->done && fibers[i]->waits == Waits::no) go_on(*fibers[i]);
        if (!failure.empty()) throw std::runtime_error(failure);
    } while (release(first, last, Waits::for_warp));
}

static inline void run_block(Block& block)
{
    const unsigned n = block.size.x;
    for (unsigned i = 0; i < n; ++i) {
        fibers[i]->index = {i, 0, 0};
        fibers[i]->block = &block;
        fibers[i]->done = false;
        fibers[i]->turn = 0;
        fibers[i]->waits = Waits::no;
    }
    do {
        for (unsigned i = 0; i < n; i += WARP_SIZE) run_warp(i, i + WARP_SIZE);
    } while (release(0, n, Waits::for_block));
    for (unsigned i = 0; i < n; ++i)
        if (!fibers[i]->done)
            throw std::runtime_error(
                "line " + std::to_string(fibers[i]->line) +
                ": a thread waits for others that have left or wait elsewhere");
}

static inline void run(const Kernel& kernel, Triple grid, Triple size, size_t memory_size)
{
    static std::mutex one_at_a_time;
    const std::lock_guard<std::mutex> lock(one_at_a_time);
    while (fibers.size() < size.x) {
        fibers.emplace_back(new Thread{});
        fibers.back()->stack =
            mmap(nullptr, STACK_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (fibers.back()->stack == MAP_FAILED) throw std::runtime_error("no memory for a stack");
    }
    Block block{};
    block.size = size;
    block.warps = std::vector<Warp>(size.x / WARP_SIZE);
    std::vector<long long> memory(memory_size / sizeof(long long) + 1);
    block.memory = memory.data();
    running = &kernel;
    failure.clear();
    try {
        for (long long b = 0; b < 1LL * grid.x * grid.y * grid.z; ++b) {
            set_block(block, b, grid, memory_size);
            run_block(block);
        }
    } catch (...) {  // threads that were left waiting are not woken again
        for (const auto& fiber : fibers) munmap(fiber->stack, STACK_SIZE);
        fibers.clear();
        throw;
    }
}

#endif

static inline void check_launch(Triple grid, Triple size, size_t memory_size)
{
    if (!grid.x || !grid.y || !grid.z || !size.x) throw std::runtime_error("an empty launch");
    if (grid.y > 65535 || grid.z > 65535) throw std::runtime_error("a grid that is too large");
    if (size.y != 1 || size.z != 1 || size.x > 1024 || size.x % WARP_SIZE)
        throw std::runtime_error("blocks must have whole warps, at most 1024 threads, in x");
    if (memory_size > 48 * 1024) throw std::runtime_error("more than 48 KB of shared memory");
}

}  // namespace grid

static inline int __popc(unsigned bits) { return __builtin_popcount(bits); }
static inline int __popcll(unsigned long long bits) { return __builtin_popcountll(bits); }
static inline int __ffs(int bits) { return __builtin_ffs(bits); }

static inline int __float_as_int(float value)
{
    int bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline float __int_as_float(int bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline int atomicAdd(int* place, int value)
{
    return __atomic_fetch_add(place, value, __ATOMIC_RELAXED);
}

static inline int atomicMax(int* place, int value)
{
    int old = __atomic_load_n(place, __ATOMIC_RELAXED);
    while (old < value && !__atomic_compare_exchange_n(place, &old, value, false, __ATOMIC_RELAXED,
                                                       __ATOMIC_RELAXED)) {
    }
    return old;
}
