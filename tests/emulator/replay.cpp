// Runs launches that a test has recorded, with every thread a thread of the machine and every array
// an allocation of its own, and compares what the kernels write: for the sanitizers.
//
// The file: numbers of 64 bits. For each launch the length of the kernel's name, its name, three
// numbers for the grid and three for the block, the bytes of shared memory, whether to compare; the
// number of arrays, for each its bytes, its content before and after; the number of arguments, for
// each the number of an array, or -1, a size and a value.

#define REAL_THREADS

#include <cstdio>
#include <fstream>

#include "kernels.h"

struct Array {
    std::unique_ptr<char[]> content, after;
    size_t size;
};

static std::ifstream file;

static long long number()
{
    long long value;
    if (!file.read(reinterpret_cast<char*>(&value), sizeof value))
        throw std::runtime_error("the file is cut short");
    return value;
}

static size_t size() { return static_cast<size_t>(number()); }

static std::unique_ptr<char[]> content(size_t size)
{
    std::unique_ptr<char[]> bytes(new char[size]);
    if (!file.read(bytes.get(), static_cast<std::streamsize>(size)))
        throw std::runtime_error("the file is cut short");
    return bytes;
}

static grid::Triple triple()
{
    const unsigned x = unsigned(number()), y = unsigned(number()), z = unsigned(number());
    return {x, y, z};
}

static void replay_one()
{
    const size_t length = size();
    const std::string name(content(length).get(), length);
    const grid::Triple grid = triple(), block = triple();
    const size_t memory_size = size();
    const bool compare = number() != 0;
    const size_t n_arrays = size();
    std::vector<Array> arrays(n_arrays);
    for (Array& array : arrays) {
        array.size = size();
        array.content = content(array.size);
        array.after = content(array.size);
    }
    const size_t n_values = size();
    std::vector<std::unique_ptr<char[]>> values(n_values);
    std::vector<void*> args;
    for (auto& value : values) {
        const long long which = number();
        if (which < 0) {
            value = content(size());
        } else {
            value.reset(new char[sizeof(void*)]);
            void* pointer = arrays[size_t(which)].content.get();
            memcpy(value.get(), &pointer, sizeof pointer);
        }
        args.push_back(value.get());
    }
    launch(name, grid, block, memory_size, args.data());
    for (const Array& array : arrays)
        if (compare && memcmp(array.content.get(), array.after.get(), array.size))
            throw std::runtime_error(name + " does not write what it wrote before");
}

int main(int n_arguments, char** arguments)
{
    try {
        if (n_arguments != 2) throw std::runtime_error("usage: replay FILE");
        file.open(arguments[1], std::ios::binary);
        int n = 0;
        for (; file.peek() != EOF; ++n) replay_one();
        std::printf("%d launches\n", n);
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
