// Equals a list that only grows, in memory that is not written before it is used.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>

#include "unset_vector.hpp"

namespace bytebpe {

template <class Value>
class Buffer {
public:
    const Value* data() const { return values_.data(); }
    std::size_t size() const { return size_; }
    // How many were added, whether they were kept or not.
    std::size_t added() const { return added_; }

    void clear() {
        size_ = added_ = 0;
        keeps_ = true;
    }

    // Until it is cleared, what is added is counted, and written over by what comes next.
    void only_count() { keeps_ = false; }
    bool keeps() const { return keeps_; }

    // Where to write up to `room` more values; `add` says how many there are.
    Value* end_with_room(std::size_t room) {
        if (size_ + room > values_.size()) {
            UnsetVector<Value> larger(std::max(size_ + room, 2 * values_.size()));
            std::copy(data(), data() + size_, larger.data());
            values_ = std::move(larger);
        }
        return values_.data() + size_;
    }

    void add(std::size_t count) {
        added_ += count;
        if (keeps_) size_ += count;
    }

    // Gives back the memory where it is more than for so many values, and with it all values.
    void shrink(std::size_t capacity) {
        if (values_.size() > capacity) *this = Buffer();
    }

private:
    UnsetVector<Value> values_;
    std::size_t size_ = 0, added_ = 0;
    bool keeps_ = true;
};

}  // namespace bytebpe
