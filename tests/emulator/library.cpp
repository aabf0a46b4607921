// The library that the tests load.

#include "kernels.h"

static std::string message;

template <class Work>
static int guarded(Work work)
{
    try {
        work();
        return 0;
    } catch (const std::exception& error) {
        message = error.what();
        return 1;
    }
}

extern "C" const char* last_error() { return message.c_str(); }

extern "C" int n_kernels() { return static_cast<int>(entries.size()); }

extern "C" const char* kernel_name(int i) { return entries[i].name; }

extern "C" const char* kernel_signature(int i) { return entries[i].signature.c_str(); }

extern "C" int launch_kernel(const char* name, const unsigned* grid, const unsigned* size,
                             size_t memory_size, void** args)
{
    return guarded([&] {
        launch(name, {grid[0], grid[1], grid[2]}, {size[0], size[1], size[2]}, memory_size, args);
    });
}

// Kernels that are wrong on purpose, to see that it is found.

static void some_threads_do_not_wait()
{
    if (threadIdx.x < 40) __syncthreads();
}

static void warps_wait_at_different_places()
{
    if (threadIdx.x < 32)
        __syncthreads();
    else
        __syncthreads();
}

static void half_a_warp_meets()
{
    if (threadIdx.x % 32 < 16) __ballot_sync(0xffffffffu, true);
}

extern "C" int launch_wrong(int which)
{
    void (*const wrong[])() = {some_threads_do_not_wait, warps_wait_at_different_places,
                               half_a_warp_meets};
    return guarded([&] { grid::run(wrong[which], {2, 1, 1}, {64, 1, 1}, 0); });
}
