// Equals nothing in the reference: memory for large tables and arrays, in huge pages.
//
// Touching memory for the first time takes as long as encoding into it if it comes by 4 kB, and a
// look-up at a random place finds a huge page in the processor's own table of pages.  What is
// mapped for itself leaves no hole behind when it goes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace bytebpe {

// Of memory that it does not give out itself the address sanitizer knows no end.
#if defined(__linux__) && !defined(BYTEBPE_SANITIZE)

inline constexpr std::size_t huge_page = std::size_t{1} << 21;

// From how many bytes on memory is mapped.
inline constexpr std::size_t least_mapped = huge_page;

// What so many bytes take, in whole pages of whatever size they are.
inline std::size_t mapped_size(std::size_t bytes) {
    constexpr std::size_t page = std::size_t{1} << 16;
    return (bytes + page - 1) / page * page;
}

// Zeroed memory, which `unmap_pages` gives back.
inline void* map_pages(std::size_t bytes) {
    // Huge pages lie at multiples of their size: one too many, and what is beside goes back.
    bytes = mapped_size(bytes);
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
    return start;
}

inline void unmap_pages(void* memory, std::size_t bytes) {
    munmap(memory, mapped_size(bytes));
}

#else

inline constexpr std::size_t least_mapped = SIZE_MAX;

inline void* map_pages(std::size_t) {
    throw std::bad_alloc();
}

inline void unmap_pages(void*, std::size_t) {}

#endif

}  // namespace bytebpe
