// kernels.cu on the CPU, and its kernels by name, called as cuLaunchKernel calls them: with pointers
// to the arguments.
#pragma once

#include "grid.h"

#include KERNELS

#include <type_traits>
#include <utility>

struct Entry {
    const char* name;
    std::string signature;  // the arguments' types: "const float32*, int32, ..."
    std::function<void(void**)> call;
};

template <class Type>
std::string type_name()
{
    using Plain = std::remove_const_t<std::remove_pointer_t<Type>>;
    std::string name;
    if (std::is_const_v<std::remove_pointer_t<Type>>) name += "const ";
    if (std::is_floating_point_v<Plain>)
        name += "float";
    else
        name += std::is_signed_v<Plain> ? "int" : "uint";
    name += std::to_string(8 * sizeof(Plain));
    return std::is_pointer_v<Type> ? name + "*" : name;
}

template <class... Types, size_t... Places>
Entry entry(const char* name, void (*kernel)(Types...), std::index_sequence<Places...>)
{
    std::string signature;
    ((signature += (Places ? ", " : "") + type_name<Types>()), ...);
    return {name, signature,
            [kernel](void** args) { kernel(*static_cast<Types*>(args[Places])...); }};
}

template <class... Types>
Entry entry(const char* name, void (*kernel)(Types...))
{
    return entry(name, kernel, std::index_sequence_for<Types...>());
}

#define ENTRY(kernel) entry(#kernel, kernel)

static const std::vector<Entry> entries = {
    ENTRY(set_drives),          ENTRY(information),    ENTRY(information_drives),
    ENTRY(find_winners),        ENTRY(find_top_cells), ENTRY(count_words),
    ENTRY(begin_words),         ENTRY(sort_places),    ENTRY(tally_winners),
    ENTRY(tally_top_cells),     ENTRY(add_tallies),    ENTRY(add_tally_to_sums),
    ENTRY(add_tally_to_counts), ENTRY(add_parts),      ENTRY(add_tally_to_consensus),
    ENTRY(hebbian_difference),  ENTRY(hebbian_apply),  ENTRY(add_squares),
    ENTRY(scale_cells),         ENTRY(clear_cells),    ENTRY(multiply_sparse),
    ENTRY(top_of_bags),         ENTRY(best_codes),
};

static inline const Entry& find(const std::string& name)
{
    for (const Entry& one : entries)
        if (one.name == name) return one;
    throw std::runtime_error("there is no kernel " + name);
}

static inline void launch(const std::string& name, grid::Triple grid, grid::Triple size,
                          size_t memory_size, void** args)
{
    const Entry& kernel = find(name);
    grid::check_launch(grid, size, memory_size);
    grid::run([&] { kernel.call(args); }, grid, size, memory_size);
}
