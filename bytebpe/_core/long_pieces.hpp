// Equals `MergeTable` of bytebpe/merge.py on long pieces, by tables that are made when one comes.
//
// To know all tokens takes longer than to encode most pieces.  So the first table knows those that
// may stand in the piece for which it is made, mostly a long run of few characters; once another
// piece has others, a table of all tokens is made.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "backtrack.hpp"
#include "byte_pairs.hpp"
#include "pair_table.hpp"

namespace bytebpe {

class LongPieces {
public:
    LongPieces(const std::array<Id, 256>& byte_ids, const std::vector<Merge>& merges)
        : byte_ids_(byte_ids), merges_(merges) {}

    // How a piece is encoded; null where its size is not worth a table, or there can be none.
    const Backtracker* backtracker_for(const std::uint8_t* piece, std::size_t size,
                                       const PairTable& pairs) const {
        if (const Backtracker* known = known_.load(std::memory_order_acquire);
            known != nullptr && known->knows(piece, size))
            return known;
        if (size <= worth_a_table) return nullptr;
        const std::lock_guard<std::mutex> lock(mutex_);
        const Backtracker* known = known_.load(std::memory_order_relaxed);
        if (known == nullptr && made_.empty())
            known = make(BytePairs::of(piece, size), pairs);
        else if (known != nullptr && !known->knows(piece, size))
            known = make(BytePairs::all(), pairs);
        return known;
    }

private:
    static constexpr std::size_t worth_a_table = 4096;

    // What was made before stays, since others may be at work with it.
    const Backtracker* make(BytePairs among, const PairTable& pairs) const {
        made_.push_back(Backtracker::of(byte_ids_, merges_, pairs, std::move(among)));
        known_.store(made_.back().get(), std::memory_order_release);
        return made_.back().get();
    }

    std::array<Id, 256> byte_ids_;
    std::vector<Merge> merges_;
    mutable std::mutex mutex_;
    mutable std::vector<std::unique_ptr<const Backtracker>> made_;  // null if there can be none
    mutable std::atomic<const Backtracker*> known_{nullptr};        // the last one
};

}  // namespace bytebpe
