// Equals a list whose new places hold nothing yet, where a vector would write zeros.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#include "mapped.hpp"

namespace bytebpe {

// Leaves a value unset where none is given.  Large arrays are mapped for themselves.
template <class Value>
struct UnsetAllocator : std::allocator<Value> {
    template <class Other>
    struct rebind {
        using other = UnsetAllocator<Other>;
    };

    template <class Other>
    void construct(Other* place) noexcept(std::is_nothrow_default_constructible_v<Other>) {
        ::new (static_cast<void*>(place)) Other;
    }

    template <class Other, class... Values>
    void construct(Other* place, Values&&... values) {
        ::new (static_cast<void*>(place)) Other(std::forward<Values>(values)...);
    }

    Value* allocate(std::size_t count) {
        if (count < least_mapped / sizeof(Value)) return std::allocator<Value>::allocate(count);
        if (count > PTRDIFF_MAX / sizeof(Value)) throw std::bad_alloc();
        return static_cast<Value*>(map_pages(count * sizeof(Value)));
    }

    void deallocate(Value* memory, std::size_t count) noexcept {
        if (count < least_mapped / sizeof(Value))
            std::allocator<Value>::deallocate(memory, count);
        else
            unmap_pages(memory, count * sizeof(Value));
    }
};

// For scratch of which little is used, and for what is written whole at once.
template <class Value>
using UnsetVector = std::vector<Value, UnsetAllocator<Value>>;

}  // namespace bytebpe
