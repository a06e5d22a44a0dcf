// Equals a list whose new places hold nothing yet, where a vector would write zeros.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace bytebpe {

// Leaves a value unset where none is given.  Large arrays are mapped for themselves, in huge
// pages: touching memory for the first time takes as long as encoding into it if it comes by
// 4 kB, and when they go no hole stays behind.
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

// Of memory that it does not give out itself the address sanitizer knows no end.
#if defined(__linux__) && !defined(BYTEBPE_SANITIZE)
    Value* allocate(std::size_t count) {
        if (count < least_mapped) return std::allocator<Value>::allocate(count);
        if (count > PTRDIFF_MAX / sizeof(Value)) throw std::bad_alloc();
        // Huge pages lie at multiples of their size: one too many, and what is beside goes back.
        const std::size_t bytes = pages_of(count * sizeof(Value), page);
        void* mapped = mmap(nullptr, bytes + huge_page, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (mapped == MAP_FAILED) throw std::bad_alloc();
        auto* start = static_cast<char*>(mapped);
        const std::size_t before =
            (huge_page - reinterpret_cast<std::uintptr_t>(start) % huge_page) % huge_page;
        if (before > 0) munmap(start, before);
        start += before;
        if (before < huge_page) munmap(start + bytes, huge_page - before);
        madvise(start, bytes, MADV_HUGEPAGE);
        return reinterpret_cast<Value*>(start);
    }

    void deallocate(Value* memory, std::size_t count) noexcept {
        if (count < least_mapped)
            std::allocator<Value>::deallocate(memory, count);
        else
            munmap(memory, pages_of(count * sizeof(Value), page));
    }

private:
    static constexpr std::size_t page = std::size_t{1} << 16;  // or a part of it
    static constexpr std::size_t huge_page = std::size_t{1} << 21;
    static constexpr std::size_t least_mapped = huge_page / sizeof(Value);

    static std::size_t pages_of(std::size_t bytes, std::size_t size) {
        return (bytes + size - 1) / size * size;
    }
#endif
};

// For scratch of which little is used, and for what is written whole at once.
template <class Value>
using UnsetVector = std::vector<Value, UnsetAllocator<Value>>;

}  // namespace bytebpe
