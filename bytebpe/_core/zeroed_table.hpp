// Equals a vector of zeroed values, whose memory is not touched before it is used.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace bytebpe {

// For types that are valid when all their bytes are zero.  Large tables ask for huge pages: a
// look-up at a random place then finds its page in the processor's own table of pages.
template <class Value>
class ZeroedTable {
public:
    ZeroedTable() = default;

    explicit ZeroedTable(std::size_t count)
        : memory_(std::calloc(count * sizeof(Value) + alignment, 1), &std::free) {
        if (memory_ == nullptr) throw std::bad_alloc();
        const auto address = reinterpret_cast<std::uintptr_t>(memory_.get());
        const auto aligned = (address + alignment - 1) / alignment * alignment;
        values_ = reinterpret_cast<Value*>(aligned);
#if defined(__linux__)
        constexpr std::uintptr_t page = std::uintptr_t{1} << 21;
        const auto from = (address + page - 1) / page * page;
        const auto to = (address + count * sizeof(Value)) / page * page;
        if (from < to) madvise(reinterpret_cast<void*>(from), to - from, MADV_HUGEPAGE);
#endif
    }

    Value* data() { return values_; }
    const Value* data() const { return values_; }
    bool empty() const { return values_ == nullptr; }

private:
    static constexpr std::size_t alignment = 64;

    std::unique_ptr<void, void (*)(void*)> memory_{nullptr, &std::free};
    Value* values_ = nullptr;
};

}  // namespace bytebpe
