// Equals the `_ranks` and `_made` of bytebpe/merge.py: a pair of ids to its rank, a rank to its id.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
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

// Ids are below this, and so are ranks: a pair and its rank then share one number.
inline constexpr std::uint32_t id_bits = 21, rank_bits = 22;

// Pairs of low ids, which are the frequent ones, stand in a square; the others in an
// open-addressing hash table of fixed size, at most half full.  Most pairs that are asked for
// have no merge: a filter, small enough for the processor to keep at hand, says so of nearly all.
class PairTable {
public:
    explicit PairTable(const std::vector<Merge>& merges)
        : square_(square_side * square_side, no_rank), made_(merges.size()) {
        std::size_t size = 2;
        while (size < 2 * merges.size()) size *= 2;
        slots_.resize(size);
        filter_.resize((size * filter_bits + 63) / 64);
        if (merges.size() > (std::size_t{1} << rank_bits) - 1)
            throw std::length_error("too many merges");
        for (std::size_t at = 0; at < merges.size(); ++at) {
            const Merge& merge = merges[at];
            if ((merge.left | merge.right | merge.made) >> id_bits != 0)
                throw std::length_error("an id is too high");
            made_[at] = merge.made;
            in_order_ = in_order_ && merge.made == made_[0] + at;
            const auto rank = static_cast<Rank>(at);
            if ((merge.left | merge.right) < square_side) {
                square_[merge.left * square_side + merge.right] = rank;
                continue;
            }
            const std::uint64_t pair = pair_of(merge.left, merge.right), mixed = mix(pair);
            filter_[filter_place(mixed) / 64] |= std::uint64_t{1} << filter_place(mixed) % 64;
            std::size_t slot = slot_of(mixed);
            while (slots_[slot] != 0) slot = (slot + 1) & (size - 1);
            slots_[slot] = pair << rank_bits | (rank + 1);
        }
    }

    Rank rank(Id left, Id right) const {
        if ((left | right) < square_side) return square_[left * square_side + right];
        const std::uint64_t pair = pair_of(left, right), mixed = mix(pair);
        const std::size_t place = filter_place(mixed);
        if ((filter_[place / 64] >> place % 64 & 1) == 0) return no_rank;
        for (std::size_t at = slot_of(mixed);; at = (at + 1) & (slots_.size() - 1)) {
            const std::uint64_t slot = slots_[at];
            if (slot >> rank_bits == pair && slot != 0)
                return static_cast<Rank>(slot & ((1U << rank_bits) - 1)) - 1;
            if (slot == 0) return no_rank;
        }
    }

    // Mostly ids follow ranks, and no memory has to be waited for.
    Id made(Rank rank) const { return in_order_ ? made_[0] + rank : made_[rank]; }

    std::size_t size() const { return made_.size(); }

private:
    static constexpr Id square_side = 512;
    static constexpr std::size_t filter_bits = 8;  // for each slot

    static std::uint64_t pair_of(Id left, Id right) {
        return std::uint64_t{left} << id_bits | right;
    }
    static std::uint64_t mix(std::uint64_t pair) {
        pair *= 0x9E3779B97F4A7C15U;
        return pair ^ pair >> 32;
    }
    std::size_t slot_of(std::uint64_t mixed) const { return mixed & (slots_.size() - 1); }
    std::size_t filter_place(std::uint64_t mixed) const {
        return (mixed * 0xBF58476D1CE4E5B9U >> 20) & (slots_.size() * filter_bits - 1);
    }

    std::vector<Rank> square_;
    std::vector<std::uint64_t> slots_;  // pair and rank + 1; 0 where free
    std::vector<std::uint64_t> filter_;
    std::vector<Id> made_;
    bool in_order_ = true;
};

}  // namespace bytebpe
