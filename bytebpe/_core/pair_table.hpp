// Equals the `_ranks` and `_made` of bytebpe/merge.py: a pair of ids to its rank, a rank to its id.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bytebpe {

using Id = std::uint32_t;
using Rank = std::uint32_t;

// No merge; greater than every rank, so that a minimum never picks it.
inline constexpr Rank no_rank = UINT32_MAX;

struct Merge {
    Id left;
    Id right;
    Id made;
};

// Pairs of low ids, which are the frequent ones, stand in a square; the others in an
// open-addressing hash table of fixed size, at most half full, so that a look-up of a pair
// without a merge, which is the common case, ends after a probe or two.
class PairTable {
public:
    explicit PairTable(const std::vector<Merge>& merges)
        : square_(square_side * square_side, no_rank), made_(merges.size()) {
        std::size_t size = 2;
        while (size < 2 * merges.size()) size *= 2;
        slots_.resize(size);
        for (std::size_t at = 0; at < merges.size(); ++at) {
            const Merge& merge = merges[at];
            const auto rank = static_cast<Rank>(at);
            made_[at] = merge.made;
            if ((merge.left | merge.right) < square_side)
                square_[merge.left * square_side + merge.right] = rank;
            else
                slots_[find(key(merge.left, merge.right))] = {key(merge.left, merge.right), rank};
        }
    }

    Rank rank(Id left, Id right) const {
        if ((left | right) < square_side) return square_[left * square_side + right];
        return slots_[find(key(left, right))].rank;
    }

    Id made(Rank rank) const { return made_[rank]; }

    std::size_t size() const { return made_.size(); }

private:
    static constexpr Id square_side = 512;

    struct Slot {
        std::uint64_t key = 0;
        Rank rank = no_rank;
    };

    static std::uint64_t key(Id left, Id right) { return std::uint64_t{left} << 32 | right; }

    // The slot of a key, or the free slot where it would go.
    std::size_t find(std::uint64_t key) const {
        const std::size_t mask = slots_.size() - 1;
        std::size_t at = static_cast<std::size_t>((key * 0x9E3779B97F4A7C15U) >> 32) & mask;
        while (slots_[at].rank != no_rank && slots_[at].key != key) at = (at + 1) & mask;
        return at;
    }

    std::vector<Rank> square_;
    std::vector<Slot> slots_;
    std::vector<Id> made_;
};

}  // namespace bytebpe
