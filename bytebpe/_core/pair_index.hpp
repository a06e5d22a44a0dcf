// Equals the `_totals` and `_places` of `_Rounds` in bytebpe/train.py: pairs, counted and found.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "symbol_rows.hpp"

namespace bytebpe {

// Pairs of symbols to values, by open addressing.
template <class Value>
class PairMap {
public:
    PairMap() : slots_(1 << 10) {}

    // The value of a pair, nullptr if it has none.
    Value* find(std::uint32_t left, std::uint32_t right) {
        Slot& slot = slots_[place(left, right)];
        return slot.used ? &slot.value : nullptr;
    }

    // The value of a pair, made if it has none.
    Value& operator()(std::uint32_t left, std::uint32_t right) {
        std::size_t at = place(left, right);
        if (!slots_[at].used) {
            if (2 * ++used_ > slots_.size()) {
                grow();
                at = place(left, right);
            }
            slots_[at] = {left, right, true, Value{}};
        }
        return slots_[at].value;
    }

    // Forgets a pair, and closes the gap: what stands behind it moves up as far as it may.
    void erase(std::uint32_t left, std::uint32_t right) {
        const std::size_t mask = slots_.size() - 1;
        std::size_t gap = place(left, right);
        if (!slots_[gap].used) return;
        for (std::size_t at = (gap + 1) & mask; slots_[at].used; at = (at + 1) & mask) {
            const std::size_t home = hash(slots_[at].left, slots_[at].right) & mask;
            if (((at - home) & mask) >= ((at - gap) & mask)) {
                slots_[gap] = slots_[at];
                gap = at;
            }
        }
        slots_[gap].used = false;
        --used_;
    }

    template <class Visit>
    void each(const Visit& visit) {
        for (Slot& slot : slots_)
            if (slot.used) visit(slot.left, slot.right, slot.value);
    }

private:
    struct Slot {
        std::uint32_t left = 0, right = 0;
        bool used = false;
        Value value{};
    };

    static std::size_t hash(std::uint32_t left, std::uint32_t right) {
        const std::uint64_t mixed =
            (std::uint64_t{left} << 32 | right) * std::uint64_t{0x9E3779B97F4A7C15};
        return static_cast<std::size_t>(mixed ^ mixed >> 32);
    }

    // The slot of a pair, or the free slot where it would go.
    std::size_t place(std::uint32_t left, std::uint32_t right) const {
        const std::size_t mask = slots_.size() - 1;
        std::size_t at = hash(left, right) & mask;
        while (slots_[at].used && (slots_[at].left != left || slots_[at].right != right))
            at = (at + 1) & mask;
        return at;
    }

    void grow() {
        std::vector<Slot> old(2 * slots_.size());
        old.swap(slots_);
        for (const Slot& slot : old)
            if (slot.used) slots_[place(slot.left, slot.right)] = slot;
    }

    std::vector<Slot> slots_;
    std::size_t used_ = 0;
};

// Pairs of symbols to what they add up to, for the moment of a recount: those of low symbols, which
// are many of those there are, stand in a square.
class PairTotals {
public:
    struct Total {
        Count count = 0;
        std::uint32_t places = 0;
        std::uint32_t pair = UINT32_MAX;  // its number in the index, if it has one
    };

    Total& operator()(std::uint32_t left, std::uint32_t right) {
        return (left | right) < side ? square_[left * side + right] : map_(left, right);
    }

    // Calls visit(left, right, total) for each pair that occurs.
    template <class Visit>
    void each(const Visit& visit) {
        for (std::uint32_t at = 0; at < side * side; ++at)
            if (square_[at].places > 0) visit(at / side, at % side, square_[at]);
        map_.each(visit);
    }

private:
    static constexpr std::uint32_t side = 256;

    std::vector<Total> square_ = std::vector<Total>(side * side);
    PairMap<Total> map_;
};

// A pair that may be merged: how often it occurs now, and all places where it may stand.
struct Pair {
    std::uint32_t left = 0, right = 0;
    Count count = 0;
    std::unique_ptr<Place[]> places;  // ascending; some may be stale
    std::uint32_t size = 0;           // of places
    std::uint32_t skipped = 0;        // places at the front that are known to be stale

    void append(Place place) { places[size++] = place; }
};

// The pairs that may be merged, by number; numbers of pairs that are gone are used again.
class PairIndex {
public:
    static constexpr std::uint32_t none = UINT32_MAX;

    Pair& operator[](std::uint32_t number) { return pairs_[number]; }

    std::uint32_t find(std::uint32_t left, std::uint32_t right) {
        const std::uint32_t* number = numbers_.find(left, right);
        return number == nullptr ? none : *number;
    }

    // Adds a pair with room for so many places.
    std::uint32_t add(std::uint32_t left, std::uint32_t right, Count count, std::size_t room) {
        std::uint32_t number = static_cast<std::uint32_t>(pairs_.size());
        if (free_.empty()) {
            pairs_.emplace_back();
        } else {
            number = free_.back();
            free_.pop_back();
        }
        numbers_(left, right) = number;
        pairs_[number] = {left, right, count, std::unique_ptr<Place[]>(new Place[room]), 0, 0};
        return number;
    }

    // Forgets a pair and returns it.
    Pair take(std::uint32_t number) {
        Pair pair = std::move(pairs_[number]);
        pairs_[number] = {};
        numbers_.erase(pair.left, pair.right);
        free_.push_back(number);
        return pair;
    }

    std::uint32_t size() const { return static_cast<std::uint32_t>(pairs_.size()); }

private:
    PairMap<std::uint32_t> numbers_;
    std::vector<Pair> pairs_;
    std::vector<std::uint32_t> free_;
};

}  // namespace bytebpe
