// Equals a vector of zeroed values, whose memory is not touched before it is used.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

#include "mapped.hpp"

namespace bytebpe {

// For types that are valid when all their bytes are zero.  A table begins at a cache line.
template <class Value>
class ZeroedTable {
public:
    ZeroedTable() = default;

    explicit ZeroedTable(std::size_t count) : memory_(nullptr, Release{count * sizeof(Value)}) {
        const std::size_t bytes = count * sizeof(Value);
        if (bytes >= least_mapped) {
            memory_.reset(map_pages(bytes));
        } else {
            memory_.reset(std::calloc(bytes + alignment, 1));
            if (memory_ == nullptr) throw std::bad_alloc();
        }
        const auto address = reinterpret_cast<std::uintptr_t>(memory_.get());
        values_ = reinterpret_cast<Value*>((address + alignment - 1) / alignment * alignment);
    }

    Value* data() { return values_; }
    const Value* data() const { return values_; }
    Value& operator[](std::size_t at) { return values_[at]; }
    const Value& operator[](std::size_t at) const { return values_[at]; }
    bool empty() const { return values_ == nullptr; }

private:
    static constexpr std::size_t alignment = 64;

    struct Release {
        std::size_t bytes = 0;
        void operator()(void* memory) const {
            if (bytes >= least_mapped)
                unmap_pages(memory, bytes);
            else
                std::free(memory);
        }
    };

    std::unique_ptr<void, Release> memory_;
    Value* values_ = nullptr;
};

}  // namespace bytebpe
