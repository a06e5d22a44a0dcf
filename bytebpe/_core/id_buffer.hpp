// Equals a list of ids, or its length.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>

namespace bytebpe {

// Ids one after the other, in memory that is not written before it is used.
template <class Out>
class IdBuffer {
public:
    const Out* data() const { return ids_.get(); }
    std::size_t size() const { return size_; }
    // How many were added, whether they were kept or not.
    std::size_t added() const { return added_; }

    void clear() {
        size_ = added_ = 0;
        keeps_ = true;
    }

    // Until it is cleared, what is added is counted, and written over by what comes next.
    void only_count() { keeps_ = false; }

    // Where to write up to `room` more ids; `add` says how many there are.
    Out* end_with_room(std::size_t room) {
        if (size_ + room > capacity_) {
            const std::size_t capacity = std::max(size_ + room, 2 * capacity_);
            std::unique_ptr<Out[]> larger(new Out[capacity]);
            std::copy(data(), data() + size_, larger.get());
            ids_ = std::move(larger);
            capacity_ = capacity;
        }
        return ids_.get() + size_;
    }

    void add(std::size_t count) {
        added_ += count;
        if (keeps_) size_ += count;
    }

    void shrink(std::size_t capacity) {
        if (capacity_ > capacity) *this = IdBuffer();
    }

private:
    std::unique_ptr<Out[]> ids_;
    std::size_t size_ = 0, capacity_ = 0, added_ = 0;
    bool keeps_ = true;
};

}  // namespace bytebpe
