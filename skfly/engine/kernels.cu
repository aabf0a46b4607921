// The kernels of the GPU backend, in CUDA C++ without any header. `_base.py` says what the arrays
// mean, `_cupy.py` calls them, docs/gpu.rst says what they cost. tests/emulator/ compiles this same
// file for the CPU, where every kernel is held against the numpy reference.
//
// Activations are sums of integers and counts are integers, so neither the order of threads nor
// that of atomics shows in a result. Where floats are computed, it is operation by operation as in
// `_numpy.py`: this file must be compiled with --fmad=false.
//
// Text comes as tokens: a word's number plus one in the low 31 bits (0: an unknown word), and the
// highest bit set where a sentence begins.

#ifndef SHARED_MEMORY
#define SHARED_MEMORY(name) extern __shared__ long long name[]
#endif

namespace {

constexpr int WARP = 32;
constexpr unsigned WHOLE_WARP = 0xffffffffu;
constexpr int LAST_CELL = 65535;  // cells are numbered from 0 below this
constexpr int CHUNKS = 16;        // cells that a thread sums up at a time, at most
constexpr int LEAST = -2147483647 - 1;
constexpr float NEVER = 1e30f;  // in place of the logarithm of a share of 0

typedef unsigned int Token;
typedef long long Index;  // of an array that may be large

__device__ int word_of(Token token) { return int(token & 0x7fffffffu) - 1; }

__device__ bool begins(Token token) { return (token >> 31) != 0; }

__device__ int smaller(int a, int b) { return a < b ? a : b; }

__device__ int larger(int a, int b) { return a > b ? a : b; }

__device__ int lane_of_thread() { return int(threadIdx.x) % WARP; }

__device__ int warps_of_block() { return int(blockDim.x) / WARP; }

__device__ Index thread_of_grid() { return Index(blockIdx.x) * blockDim.x + threadIdx.x; }

__device__ Index threads_of_grid() { return Index(gridDim.x) * blockDim.x; }

__device__ int largest_of_warp(int value)
{
    for (int step = WARP / 2; step > 0; step /= 2)
        value = larger(value, __shfl_xor_sync(WHOLE_WARP, value, step));
    return value;
}

__device__ int sum_of_warp(int value)
{
    for (int step = WARP / 2; step > 0; step /= 2)
        value += __shfl_xor_sync(WHOLE_WARP, value, step);
    return value;
}

// The sum over all threads of a block, in all of them. `room` has one entry a warp.
__device__ int sum_of_block(int value, int* room)
{
    value = sum_of_warp(value);
    if (lane_of_thread() == 0) room[threadIdx.x / WARP] = value;
    __syncthreads();
    int total = 0;
    for (int w = 0; w < warps_of_block(); ++w) total += room[w];
    __syncthreads();
    return total;
}

// Floats of 0 and above are in the order of their bits.
__device__ void raise_to(int* largest, float value)
{
    const int bits = largest_of_warp(__float_as_int(value));
    if (lane_of_thread() == 0) atomicMax(largest, bits);
}

// Calls `with(i, row, m)` for the entries i of a matrix that are this thread's.
template <class With>
__device__ void for_each_weight(int n_rows, int n_cells, With with)
{
    for (int row = int(blockIdx.x); row < n_rows; row += int(gridDim.x))
        for (int m = int(threadIdx.x); m < n_cells; m += int(blockDim.x))
            with(Index(row) * n_cells + m, row, m);
}

// Windows. These are functions of a whole warp.

// How many places before `centre` belong to its window.
__device__ int places_before(const Token* tokens, int centre, int half)
{
    for (int base = 0; base < half; base += WARP) {
        const int place = centre - base - lane_of_thread();
        const bool first = place <= 0 || begins(tokens[place]);
        const unsigned firsts = __ballot_sync(WHOLE_WARP, first);
        if (firsts) return smaller(half, base + __ffs(int(firsts)) - 1);
    }
    return half;
}

__device__ int places_after(const Token* tokens, int n_tokens, int centre, int half)
{
    for (int base = 0; base < half; base += WARP) {
        const int place = centre + 1 + base + lane_of_thread();
        const bool beyond = place >= n_tokens || begins(tokens[place]);
        const unsigned beyonds = __ballot_sync(WHOLE_WARP, beyond);
        if (beyonds) return smaller(half, base + __ffs(int(beyonds)) - 1);
    }
    return half;
}

// Whether the word at `place` comes in the context between `first` and there.
__device__ bool comes_before(const Token* tokens, int first, int place, int centre)
{
    for (int p = first; p < place; ++p)
        if (p != centre && word_of(tokens[p]) == word_of(tokens[place])) return true;
    return false;
}

// Writes the rows that the window around `centre` switches on, each once; returns how many. None:
// there is no window.
__device__ int rows_of_window(const Token* tokens, int n_tokens, int centre, int window,
                              bool truncate, int n_words, int* rows)
{
    const int half = window / 2, lane = lane_of_thread();
    const int before = places_before(tokens, centre, half);
    const int after = places_after(tokens, n_tokens, centre, half);
    if (!truncate && (before < half || after < half)) return 0;
    const int first = centre - before, last = centre + after;
    int n_rows = 0;
    for (int base = first; base <= last; base += WARP) {
        const int place = base + lane;
        bool on = place <= last && place != centre && word_of(tokens[place]) >= 0;
        if (on) on = !comes_before(tokens, first, place, centre);
        const unsigned all_on = __ballot_sync(WHOLE_WARP, on);
        const unsigned lower = all_on & ((1u << lane) - 1u);
        if (on) rows[n_rows + __popc(lower)] = word_of(tokens[place]);
        n_rows += __popc(all_on);
    }
    const int target = word_of(tokens[centre]);
    if (target >= 0) {
        if (lane == 0) rows[n_rows] = n_words + target;
        ++n_rows;
    }
    __syncwarp(WHOLE_WARP);
    return n_rows;
}

// Calls `take(m, key)` for the cells m of this thread. The key is the activation and the number of
// the cell as one: the largest key is the winner's, and the first of ties has the largest. How many
// cells are summed up at a time is known to the compiler, so that their sums are in registers and
// their loads need not wait for one another.
template <int N, class Take>
__device__ void activate_chunks(const short* drives, int stride, int n_cells, int first,
                                const int* rows, int n_rows, Take& take)
{
    const int start = first + lane_of_thread();
    int total[N] = {};
    for (int r = 0; r < n_rows; ++r) {
        const short* row = drives + Index(rows[r]) * stride + start;
#pragma unroll
        for (int j = 0; j < N; ++j) total[j] += row[WARP * j];
    }
#pragma unroll
    for (int j = 0; j < N; ++j) {
        const int m = start + WARP * j;
        if (m < n_cells) take(m, total[j] * 65536 + (LAST_CELL - m));
    }
}

template <int N, class Take>
__device__ void activate_some(const short* drives, int stride, int n_cells, int first,
                              const int* rows, int n_rows, Take& take)
{
    if constexpr (N > 1) {
        if (stride - first < WARP * N) {
            activate_some<N - 1>(drives, stride, n_cells, first, rows, n_rows, take);
            return;
        }
    }
    activate_chunks<N>(drives, stride, n_cells, first, rows, n_rows, take);
}

template <class Take>
__device__ void activate(const short* drives, int stride, int n_cells, const int* rows, int n_rows,
                         Take take)
{
    for (int first = 0; first < stride; first += WARP * CHUNKS)
        activate_some<CHUNKS>(drives, stride, n_cells, first, rows, n_rows, take);
}

__device__ int cell_of(int key) { return LAST_CELL - (key & LAST_CELL); }

// The windows, `first` to `last`, that an occurrence of a word at `place` brings it into and no
// earlier occurrence does; `alone`: in the window around `place`, it is the target only.
struct Span {
    int first, last;
    bool alone;
};

__device__ Span windows_of_occurrence(const Token* tokens, int n_tokens, int place, int half)
{
    const int word = word_of(tokens[place]);
    int p = place;
    bool again = false;
    while (!again && p > 0 && place - p < 2 * half && !begins(tokens[p])) {
        --p;
        again = word_of(tokens[p]) == word;
    }
    Span span;
    span.first = larger(place - half, again ? p + half + 1 : p);
    span.alone = !(again && p + half >= place);
    int next = place + 1;
    for (; next < n_tokens && next <= place + half && !begins(tokens[next]); ++next)
        if (word_of(tokens[next]) == word) span.alone = false;
    span.last = next - 1;
    return span;
}

// `log32` of the reference, operation by operation.
__device__ float logarithm(float value)
{
    const int bits = __float_as_int(value) + (0x3F800000 - 0x3F3504F3);
    const float exponent = float((bits >> 23) - 127);
    const float f = __int_as_float((bits & 0x007FFFFF) + 0x3F3504F3) - 1.0f;
    const float s = f / (2.0f + f);
    const float z = s * s;
    const float series =
        z * (float(2.0 / 3) + z * (float(2.0 / 5) + z * (float(2.0 / 7) + z * float(2.0 / 9))));
    return exponent * -2.12194440e-4f + s * (2.0f + series) + exponent * 0.693359375f;
}

// `log((counts + a p) / ((cells + a) p))`; `prior` is `a p`, `own` the logarithm of `p`, `among`
// that of `cells + a` in the row's block.
__device__ float information_of(float count, float prior, float own, float among)
{
    if (own == NEVER) return 0.0f;
    return logarithm(fmaxf(count + prior, 1e-6f)) - own - among;
}

__device__ short drive_of(float synapse, float gain, float floor)
{
    return short(rintf(fmaxf(synapse, floor) * gain));
}

// Adds `rate * count` to a row of `sums`, and what that overlaps with the row's weight.
template <class Weight>
__device__ void add_row(float* sum, float rate, Weight weight, int count, double* overlap,
                        int* cells)
{
    if (count == 0) return;
    const float added = rate * float(count);
    *sum += added;
    *overlap += double(weight) * double(added);
    *cells += count;
}

// The thread's cell is a column, its part a run of the words of the tally.
template <class Weight>
__device__ void add_tally(float* sums, const float* rates, const Weight* weights, int stride,
                          const int* tally, int first_word, int n_tallied, int n_words,
                          int n_cells, double* overlaps, int* cells)
{
    const int m = int(blockIdx.x * blockDim.x + threadIdx.x);
    if (m >= n_cells) return;
    const int share = (n_tallied + int(gridDim.y) - 1) / int(gridDim.y);
    const int part = int(blockIdx.y);
    const int first = smaller(n_tallied, part * share);
    const int last = smaller(n_tallied, first + share);
    double overlap = 0.0;
    int as_context = 0, as_target = 0;
    for (int i = first; i < last; ++i) {
        const Index context = first_word + i, target = n_words + context;
        const float rate = rates[context];
        add_row(sums + context * n_cells + m, rate, weights[context * stride + m],
                tally[Index(i) * n_cells + m], &overlap, &as_context);
        add_row(sums + target * n_cells + m, rate, weights[target * stride + m],
                tally[Index(n_tallied + i) * n_cells + m], &overlap, &as_target);
    }
    overlaps[Index(part) * n_cells + m] = overlap;
    cells[Index(2 * part) * n_cells + m] = as_context;
    cells[Index(2 * part + 1) * n_cells + m] = as_target;
}

}  // namespace

// Drives. Rows have `stride` entries, a multiple of 32; those beyond the cells are never read as
// cells.

extern "C" __global__ void set_drives(short* drives, int stride, const float* synapses, int n_rows,
                                      int n_cells, float gain, float floor)
{
    for_each_weight(n_rows, n_cells, [=](Index i, int row, int m) {
        drives[Index(row) * stride + m] = drive_of(synapses[i], gain, floor);
    });
}

extern "C" __global__ void information(float* synapses, const float* counts, const float* prior,
                                       const float* own, const float* among, int n_rows,
                                       int n_cells, int* largest)
{
    float most = 0.0f;
    for_each_weight(n_rows, n_cells, [=, &most](Index i, int row, int m) {
        const float* in_block = row < n_rows / 2 ? among : among + n_cells;
        const float synapse = information_of(counts[i], prior[row], own[row], in_block[m]);
        synapses[i] = synapse;
        most = fmaxf(most, synapse);
    });
    raise_to(largest, most);
}

extern "C" __global__ void information_drives(short* drives, int stride, const float* counts,
                                              const float* prior, const float* own,
                                              const float* among, int n_rows, int n_cells,
                                              float gain, float floor)
{
    for_each_weight(n_rows, n_cells, [=](Index i, int row, int m) {
        const float* in_block = row < n_rows / 2 ? among : among + n_cells;
        const float synapse = information_of(counts[i], prior[row], own[row], in_block[m]);
        drives[Index(row) * stride + m] = drive_of(synapse, gain, floor);
    });
}

// Windows: one warp each. The rows of drives are read 32 neighbouring cells at a time; neighbouring
// windows share most of theirs, and find them in the cache.

extern "C" __global__ void find_winners(const short* drives, int stride, int n_words, int n_cells,
                                        const Token* tokens, int n_tokens, int first,
                                        int n_windows, int window, int truncate, int* winners)
{
    SHARED_MEMORY(memory);
    const int warp = int(threadIdx.x) / WARP;
    const int number = int(blockIdx.x) * warps_of_block() + warp;
    if (number >= n_windows) return;
    int* rows = reinterpret_cast<int*>(memory) + warp * (window + 1);
    const int n_rows =
        rows_of_window(tokens, n_tokens, first + number, window, truncate != 0, n_words, rows);
    int best = LEAST;
    activate(drives, stride, n_cells, rows, n_rows,
             [&best](int, int key) { best = larger(best, key); });
    best = largest_of_warp(best);
    if (lane_of_thread() == 0) winners[number] = n_rows ? cell_of(best) : -1;
}

// As find_winners, for the `n_top` most active cells, which come by falling activation.
extern "C" __global__ void find_top_cells(const short* drives, int stride, int n_words,
                                          int n_cells, const Token* tokens, int n_tokens,
                                          int first, int n_windows, int window, int truncate,
                                          int n_top, int* top, int* n_found)
{
    SHARED_MEMORY(memory);
    const int warp = int(threadIdx.x) / WARP, lane = lane_of_thread();
    const int number = int(blockIdx.x) * warps_of_block() + warp;
    if (number >= n_windows) return;
    int* rows = reinterpret_cast<int*>(memory) + warp * (window + 1 + n_cells);
    int* keys = rows + window + 1;
    const int n_rows =
        rows_of_window(tokens, n_tokens, first + number, window, truncate != 0, n_words, rows);
    activate(drives, stride, n_cells, rows, n_rows, [keys](int m, int key) { keys[m] = key; });
    int best = 2147483647;
    for (int j = 0; j < n_top; ++j) {
        int next = LEAST;
        for (int m = lane; m < n_cells; m += WARP)
            if (keys[m] < best) next = larger(next, keys[m]);
        best = largest_of_warp(next);
        if (lane == 0) top[Index(number) * n_top + j] = n_rows ? cell_of(best) : -1;
    }
    if (lane == 0 && n_rows) atomicAdd(n_found, 1);
}

// Counting, word by word: the places of each word are brought together, a block counts for one word
// in shared memory which cells won the windows that it is in, and every row is written once.

extern "C" __global__ void count_words(const Token* tokens, int n_tokens, int* counts)
{
    for (Index t = thread_of_grid(); t < n_tokens; t += threads_of_grid()) {
        const int word = word_of(tokens[t]);
        if (word >= 0) atomicAdd(&counts[word + 1], 1);
    }
}

// `counts[i + 1]` is how often word i comes; after this, word i has the places from `counts[i]` up
// to `counts[i + 1]`, and `next[i]` is its first. For one block.
extern "C" __global__ void begin_words(int* counts, int* next, int n_words)
{
    SHARED_MEMORY(memory);
    int* sums = reinterpret_cast<int*>(memory);
    const int thread = int(threadIdx.x), n_threads = int(blockDim.x);
    const int share = (n_words + n_threads - 1) / n_threads;
    const int first = smaller(n_words, thread * share), last = smaller(n_words, first + share);
    int total = 0;
    for (int i = first; i < last; ++i) total += counts[i + 1];
    sums[thread] = total;
    __syncthreads();
    for (int step = 1; step < n_threads; step *= 2) {
        const int before = thread >= step ? sums[thread - step] : 0;
        __syncthreads();
        sums[thread] += before;
        __syncthreads();
    }
    int place = sums[thread] - total;
    for (int i = first; i < last; ++i) {
        next[i] = place;
        place += counts[i + 1];
        counts[i + 1] = place;
    }
}

// Which of a word's places gets which number depends on the order of threads, and does not matter.
extern "C" __global__ void sort_places(const Token* tokens, int n_tokens, int* next, int* places)
{
    for (Index t = thread_of_grid(); t < n_tokens; t += threads_of_grid()) {
        const int word = word_of(tokens[t]);
        if (word >= 0) places[atomicAdd(&next[word], 1)] = int(t);
    }
}

// One block a word, from `first_word`: `tally` gets how many windows with the word as context, and
// (after those of all words) as target, each cell has won; `words` their sums.
extern "C" __global__ void tally_winners(const Token* tokens, int n_tokens, const int* places,
                                         const int* begins_of, const int* winners, int window,
                                         int first_word, int n_words, int n_cells, int* tally,
                                         int* words)
{
    SHARED_MEMORY(memory);
    int* as_context = reinterpret_cast<int*>(memory);
    int* as_target = as_context + n_cells;
    int* room = as_target + n_cells;
    const int thread = int(threadIdx.x), n_threads = int(blockDim.x);
    const int word = first_word + int(blockIdx.x);
    for (int m = thread; m < 2 * n_cells; m += n_threads) as_context[m] = 0;
    __syncthreads();
    for (int k = begins_of[word] + thread; k < begins_of[word + 1]; k += n_threads) {
        const int place = places[k];
        const Span span = windows_of_occurrence(tokens, n_tokens, place, window / 2);
        for (int c = span.first; c <= span.last; ++c)
            if (winners[c] >= 0 && !(c == place && span.alone))
                atomicAdd(&as_context[winners[c]], 1);
        if (winners[place] >= 0) atomicAdd(&as_target[winners[place]], 1);
    }
    __syncthreads();
    int* context = tally + Index(blockIdx.x) * n_cells;
    int* target = context + Index(gridDim.x) * n_cells;
    int n_context = 0, n_target = 0;
    for (int m = thread; m < n_cells; m += n_threads) {
        context[m] = as_context[m];
        target[m] = as_target[m];
        n_context += as_context[m];
        n_target += as_target[m];
    }
    n_context = sum_of_block(n_context, room);
    n_target = sum_of_block(n_target, room);
    if (thread == 0) {
        words[word] = n_context;
        words[n_words + word] = n_target;
    }
}

// One block a word: how many windows with the word each cell is among the top of. `top` has -1
// first where there is no window.
extern "C" __global__ void tally_top_cells(const Token* tokens, int n_tokens, const int* places,
                                           const int* begins_of, const int* top, int n_top,
                                           int first_window, int n_windows, int window,
                                           int first_word, int n_cells, int* tally)
{
    SHARED_MEMORY(memory);
    int* counts = reinterpret_cast<int*>(memory);
    const int thread = int(threadIdx.x), n_threads = int(blockDim.x);
    const int word = first_word + int(blockIdx.x);
    for (int m = thread; m < n_cells; m += n_threads) counts[m] = 0;
    __syncthreads();
    for (int k = begins_of[word] + thread; k < begins_of[word + 1]; k += n_threads) {
        const Span span = windows_of_occurrence(tokens, n_tokens, places[k], window / 2);
        const int first = larger(span.first, first_window);
        const int last = smaller(span.last, first_window + n_windows - 1);
        for (int c = first; c <= last; ++c) {
            const int* cells = top + Index(c - first_window) * n_top;
            for (int j = 0; j < n_top && cells[j] >= 0; ++j) atomicAdd(&counts[cells[j]], 1);
        }
    }
    __syncthreads();
    int* row = tally + Index(blockIdx.x) * n_cells;
    for (int m = thread; m < n_cells; m += n_threads) row[m] = counts[m];
}

// The sum of two tallies, from two GPUs.
extern "C" __global__ void add_tallies(int* tally, const int* other, long long n)
{
    for (Index i = thread_of_grid(); i < n; i += threads_of_grid()) tally[i] += other[i];
}

// A tally of windows added to sums. A column a cell, a part of the words for each row of blocks.
extern "C" __global__ void add_tally_to_sums(float* sums, const float* rates, const float* weights,
                                             int stride, const int* tally, int first_word,
                                             int n_tallied, int n_words, int n_cells,
                                             double* overlaps, int* cells)
{
    add_tally(sums, rates, weights, stride, tally, first_word, n_tallied, n_words, n_cells,
              overlaps, cells);
}

extern "C" __global__ void add_tally_to_counts(float* sums, const float* rates,
                                               const short* weights, int stride, const int* tally,
                                               int first_word, int n_tallied, int n_words,
                                               int n_cells, double* overlaps, int* cells)
{
    add_tally(sums, rates, weights, stride, tally, first_word, n_tallied, n_words, n_cells,
              overlaps, cells);
}

// The parts that add_tally_... left, in their order.
extern "C" __global__ void add_parts(const double* overlaps, const int* cells, int n_parts,
                                     int n_cells, double* overlap, long long* cell_totals)
{
    const int m = int(blockIdx.x * blockDim.x + threadIdx.x);
    if (m >= n_cells) return;
    for (Index part = 0; part < n_parts; ++part) {
        overlap[m] += overlaps[part * n_cells + m];
        cell_totals[m] += cells[2 * part * n_cells + m];
        cell_totals[n_cells + m] += cells[(2 * part + 1) * n_cells + m];
    }
}

extern "C" __global__ void add_tally_to_consensus(float* counts, const int* tally, int first_word,
                                                  int n_tallied, int n_cells)
{
    float* first = counts + Index(first_word) * n_cells;
    for_each_weight(n_tallied, n_cells, [=](Index i, int, int) {
        if (tally[i]) first[i] += float(tally[i]);
    });
}

// The Hebbian step. `dS = d - <W, d> W` in place of `d`, and its largest absolute entry.
extern "C" __global__ void hebbian_difference(const float* synapses, float* increments,
                                              const float* overlap, int n_rows, int n_cells,
                                              int* largest)
{
    float most = 0.0f;
    for_each_weight(n_rows, n_cells, [=, &most](Index i, int, int m) {
        const float difference = increments[i] - overlap[m] * synapses[i];
        increments[i] = difference;
        most = fmaxf(most, fabsf(difference));
    });
    raise_to(largest, most);
}

// `W += factor * dS`, `dS = 0`, and `max|W|`.
extern "C" __global__ void hebbian_apply(float* synapses, float* increments, float factor,
                                         int n_rows, int n_cells, int* largest)
{
    float most = 0.0f;
    for_each_weight(n_rows, n_cells, [=, &most](Index i, int, int) {
        const float synapse = synapses[i] + factor * increments[i];
        synapses[i] = synapse;
        increments[i] = 0.0f;
        most = fmaxf(most, fabsf(synapse));
    });
    raise_to(largest, most);
}

// `|W_m|^2` over runs of rows, one for each row of blocks: from `bounds[part]` up to the next.
extern "C" __global__ void add_squares(const float* synapses, const long long* bounds, int n_cells,
                                       double* squares)
{
    const int m = int(blockIdx.x * blockDim.x + threadIdx.x);
    if (m >= n_cells) return;
    double square = 0.0;
    for (Index i = bounds[blockIdx.y]; i < bounds[blockIdx.y + 1]; ++i) {
        const double synapse = synapses[i * n_cells + m];
        square += synapse * synapse;
    }
    squares[Index(blockIdx.y) * n_cells + m] = square;
}

// Columns.

extern "C" __global__ void scale_cells(float* array, const float* factors, int n_rows, int n_cells)
{
    for_each_weight(n_rows, n_cells, [=](Index i, int, int m) { array[i] *= factors[m]; });
}

// Sets columns to 0, and `removed` to what each row had in them. One thread a row.
extern "C" __global__ void clear_cells(float* counts, const int* cells, int n_cleared, int n_rows,
                                       int n_cells, double* removed)
{
    const Index i = thread_of_grid();
    if (i >= n_rows) return;
    double total = 0.0;
    for (int j = 0; j < n_cleared; ++j) {
        float* count = counts + i * n_cells + cells[j];
        total += double(*count);
        *count = 0.0f;
    }
    removed[i] = total;
}

// Row r of the product is the sum of the rows of `dense` that `columns` names from ends[r] to
// ends[r + 1], each times its value, in their order.
extern "C" __global__ void multiply_sparse(const int* ends, const int* columns, const float* values,
                                           const float* dense, int n_rows, int n_columns,
                                           float* product)
{
    for_each_weight(n_rows, n_columns, [=](Index i, int row, int column) {
        float sum = 0;
        for (int t = ends[row]; t < ends[row + 1]; ++t)
            sum += values[t] * dense[Index(columns[t]) * n_columns + column];
        product[i] = sum;
    });
}

// Hashing: one block a bag of rows. Every cell counts how many come before it.
extern "C" __global__ void top_of_bags(const float* weights, int n_cells, float gain, float floor,
                                       const int* rows, const int* begins_of, int n_top,
                                       int* cells, long long* values)
{
    SHARED_MEMORY(activations);
    const int thread = int(threadIdx.x), n_threads = int(blockDim.x);
    const int first = begins_of[blockIdx.x], last = begins_of[blockIdx.x + 1];
    for (int m = thread; m < n_cells; m += n_threads) {
        long long total = 0;
        for (int k = first; k < last; ++k) {
            const float weight = weights[Index(rows[k]) * n_cells + m];
            total += Index(rintf(fmaxf(weight, floor) * gain));
        }
        activations[m] = total;
    }
    __syncthreads();
    const Index base = Index(blockIdx.x) * n_top;
    for (int m = thread; m < n_cells; m += n_threads) {
        const long long mine = activations[m];
        int rank = 0;
        for (int j = 0; j < n_cells; ++j)
            rank += activations[j] > mine || (activations[j] == mine && j < m);
        if (rank < n_top) {
            cells[base + rank] = first < last ? m : -1;
            values[base + rank] = first < last ? mine : 0;
        }
    }
}

// Search: one block for a query and `n_codes_a_block` codes. `columns` has a column a code, 64 cells
// a row. A code of class c that shares o cells with the query has rank `ranks[c, o]`, the higher the
// better. `found` and `found_ranks` get the `n_best` best of the block in the order of the codes,
// equal ones by their place.
extern "C" __global__ void best_codes(const unsigned long long* columns, int n_codes, int n_words,
                                      const unsigned long long* queries,
                                      const unsigned short* classes, int one_class,
                                      const int* ranks, int n_overlaps, int n_ranks,
                                      int n_codes_a_block, int n_best, int* found,
                                      int* found_ranks)
{
    SHARED_MEMORY(memory);
    int* room = reinterpret_cast<int*>(memory);
    int* rank_of = room + WARP;
    const int thread = int(threadIdx.x), n_threads = int(blockDim.x);
    const int start = int(blockIdx.x) * n_codes_a_block;
    const int n = smaller(n_codes_a_block, n_codes - start);
    const unsigned long long* query = queries + Index(blockIdx.y) * n_words;
    for (int i = thread; i < n; i += n_threads) {
        int overlap = 0;
        for (int w = 0; w < n_words; ++w)
            overlap += __popcll(columns[Index(w) * n_codes + start + i] & query[w]);
        const int kind = classes[one_class ? 0 : start + i];
        rank_of[i] = ranks[Index(kind) * n_overlaps + overlap];
    }
    __syncthreads();
    // the highest rank that at least n_best codes reach
    int low = 0, high = n_ranks - 1;
    while (low < high) {
        const int middle = high - (high - low) / 2;
        int reach = 0;
        for (int i = thread; i < n; i += n_threads) reach += rank_of[i] >= middle;
        if (sum_of_block(reach, room) >= n_best)
            low = middle;
        else
            high = middle - 1;
    }
    int above = 0;
    for (int i = thread; i < n; i += n_threads) above += rank_of[i] > low;
    int level = n_best - sum_of_block(above, room);  // how many at that rank are needed
    if (thread >= WARP) return;
    const Index base = (Index(blockIdx.y) * gridDim.x + blockIdx.x) * n_best;
    const unsigned lower = (1u << thread) - 1u;
    int n_found = 0;
    for (int i = thread; i - thread < n; i += WARP) {
        const int rank = i < n ? rank_of[i] : -1;
        const unsigned at_level = __ballot_sync(WHOLE_WARP, rank == low);
        const bool taken = rank > low || (rank == low && __popc(at_level & lower) < level);
        const unsigned all_taken = __ballot_sync(WHOLE_WARP, taken);
        if (taken) {
            found[base + n_found + __popc(all_taken & lower)] = start + i;
            found_ranks[base + n_found + __popc(all_taken & lower)] = rank;
        }
        n_found += __popc(all_taken);
        level -= smaller(level, __popc(at_level));
    }
    for (int i = n_found + thread; i < n_best; i += WARP) found_ranks[base + i] = -1;
}
