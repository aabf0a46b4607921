// Preloaded instead of glibc's: allocations of a megabyte or more are counted, and one can fail.

#include <atomic>
#include <cerrno>
#include <cstddef>

extern "C" {

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);

static std::atomic<long> n_large{-1}; // less than 0: not counting
static std::atomic<long> first_bad{0}, last_bad{0};

// Count from now on; those from the first to the last of these numbers, from 1, fail.
void start_counting(long first, long last) {
    first_bad = first;
    last_bad = last;
    n_large = 0;
}

// Returns how many large allocations there were.
long stop_counting() { return n_large.exchange(-1); }

static bool fails(size_t size) {
    if (size < (1 << 20) || n_large < 0) return false;
    long number = ++n_large;
    if (number < first_bad || number > last_bad) return false;
    errno = ENOMEM;
    return true;
}

void *malloc(size_t size) noexcept { return fails(size) ? nullptr : __libc_malloc(size); }

void *calloc(size_t n, size_t size) noexcept {
    size_t all;
    if (__builtin_mul_overflow(n, size, &all) || fails(all)) return nullptr;
    return __libc_calloc(n, size);
}

void *realloc(void *block, size_t size) noexcept {
    return fails(size) ? nullptr : __libc_realloc(block, size);
}

void *memalign(size_t alignment, size_t size) noexcept {
    return fails(size) ? nullptr : __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) noexcept { return memalign(alignment, size); }

int posix_memalign(void **block, size_t alignment, size_t size) noexcept {
    void *found = memalign(alignment, size);
    if (found == nullptr) return ENOMEM;
    *block = found;
    return 0;
}
}
