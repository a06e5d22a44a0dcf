// Equals a list whose new places hold nothing yet, where a vector would write zeros.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace bytebpe {

// Leaves a value unset where none is given.
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
};

// For scratch of which little is used: what is not written takes no time and no memory.
template <class Value>
using UnsetVector = std::vector<Value, UnsetAllocator<Value>>;

}  // namespace bytebpe
