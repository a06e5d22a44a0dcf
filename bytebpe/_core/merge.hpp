// Equals `MergeTable` of bytebpe/merge.py: the bytes of one piece to token ids.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "isa.hpp"
#include "long_pieces.hpp"
#include "pair_table.hpp"
#include "whole_pieces.hpp"

namespace bytebpe {

// What a merge works with; each thread has its own.
struct MergeScratch {
    static constexpr std::size_t lanes = 256;
    // For each place of a short piece: rank and place as one number, the id, and the neighbours.
    alignas(64) std::array<std::uint32_t, lanes + 16> ranked;
    std::array<Id, lanes> ids;
    std::array<std::uint16_t, lanes> before, after;
};

class Merger {
public:
    Merger(const std::array<Id, 256>& byte_ids, const std::vector<Merge>& merges)
        : byte_ids_(byte_ids), pairs_(merges), long_(byte_ids, merges) {}

    // Makes a piece one token from now on, whatever its merges are.
    void keep_whole(const std::uint8_t* piece, std::size_t size, Id id) {
        whole_.add(piece, size, id);
    }

    // Writes the ids of a piece, at most one for each byte, and returns how many they are.
    std::size_t merge(const std::uint8_t* piece, std::size_t size, const Isa& isa,
                      MergeScratch& scratch, Id* ids) const {
        if (size == 1) {
            ids[0] = byte_ids_[piece[0]];
            return 1;
        }
        if (const Id* whole = whole_.find(piece, size)) {
            ids[0] = *whole;
            return 1;
        }
        if (size <= few) return by_shifting(piece, size, ids);
        // A rank shares its number with a place below `lanes`, and must leave room for that.
        if (size <= MergeScratch::lanes && pairs_.size() < (UINT32_MAX >> 8))
            return by_scan(piece, size, isa, scratch, ids);
        if (const Backtracker* backtracker = long_.backtracker_for(piece, size, pairs_))
            return backtracker->encode(piece, size, ids);
        return by_heap(piece, size, ids);
    }

private:
    static constexpr std::size_t few = 16;

    // So few pairs are looked through one by one.  An id and the rank of its pair with the next
    // one are one number; what follows a merge moves up while the next one is sought.
    std::size_t by_shifting(const std::uint8_t* piece, std::size_t size, Id* ids) const {
        std::array<std::uint64_t, few + 1> pairs;
        const auto paired = [&](Id left, Id right) {
            return std::uint64_t{pairs_.rank(left, right)} << 32 | left;
        };
        const auto unpaired = [](Id id) { return std::uint64_t{no_rank} << 32 | id; };
        const auto id_at = [&](std::size_t at) { return static_cast<Id>(pairs[at]); };
        Id last = byte_ids_[piece[0]];
        for (std::size_t at = 0; at + 1 < size; ++at) {
            const Id next = byte_ids_[piece[at + 1]];
            pairs[at] = paired(last, next);
            last = next;
        }
        pairs[size - 1] = unpaired(last);
        for (std::size_t gone = size;;) {  // the place that the last merge left empty
            Rank best = no_rank;
            std::size_t at = 0;
            for (std::size_t i = 0; i < size; ++i) {
                pairs[i] = pairs[i + (i >= gone)];
                const auto rank = static_cast<Rank>(pairs[i] >> 32);
                at = rank < best ? i : at;
                best = rank < best ? rank : best;
            }
            if (best == no_rank) break;
            const Id made = pairs_.made(best);
            --size;
            gone = at + 1;
            pairs[at] = gone < size ? paired(made, id_at(gone + 1)) : unpaired(made);
            if (at > 0) pairs[at - 1] = paired(id_at(at - 1), made);
        }
        for (std::size_t at = 0; at < size; ++at) ids[at] = id_at(at);
        return size;
    }

    std::size_t by_scan(const std::uint8_t* piece, std::size_t size, const Isa& isa,
                        MergeScratch& scratch, Id* out) const {
        auto& ranked = scratch.ranked;
        auto& ids = scratch.ids;
        const auto ranked_pair = [&](std::size_t at, std::size_t right) {
            const Rank rank = pairs_.rank(ids[at], ids[right]);
            return rank == no_rank ? no_rank : rank << 8 | static_cast<std::uint32_t>(at);
        };
        for (std::size_t at = 0; at < size; ++at) {
            ids[at] = byte_ids_[piece[at]];
            scratch.before[at] = static_cast<std::uint16_t>(at - 1);
            scratch.after[at] = static_cast<std::uint16_t>(at + 1);
        }
        for (std::size_t at = 0; at + 1 < size; ++at) ranked[at] = ranked_pair(at, at + 1);
        const std::size_t filled = (size + 15) / 16 * 16;
        for (std::size_t at = size - 1; at < filled; ++at) ranked[at] = no_rank;
        while (true) {
            const std::uint32_t best = isa.least(ranked.data(), filled);
            if (best == no_rank) break;
            const std::size_t at = best & 0xFF;
            const std::size_t right = scratch.after[at];
            const std::size_t next = scratch.after[right];
            ids[at] = pairs_.made(best >> 8);
            ranked[right] = no_rank;
            scratch.after[at] = static_cast<std::uint16_t>(next);
            if (next < size) {
                scratch.before[next] = static_cast<std::uint16_t>(at);
                ranked[at] = ranked_pair(at, next);
            } else {
                ranked[at] = no_rank;
            }
            if (at > 0) {
                const std::size_t left = scratch.before[at];
                ranked[left] = ranked_pair(left, at);
            }
        }
        std::size_t count = 0;
        for (std::size_t at = 0; at < size; at = scratch.after[at]) out[count++] = ids[at];
        return count;
    }

    // Keep the pairs in a heap by rank, then place: n log n for a piece of n bytes.  A merge
    // leaves its result in the left place and unlinks the right one; an entry whose place
    // holds another pair by now is stale.
    std::size_t by_heap(const std::uint8_t* piece, std::size_t size, Id* ids) const {
        constexpr std::size_t none = SIZE_MAX;
        struct Link {
            std::size_t before, after;
            bool gone;
        };
        std::vector<Link> links(size);
        for (std::size_t at = 0; at < size; ++at) {
            ids[at] = byte_ids_[piece[at]];
            links[at] = {at == 0 ? none : at - 1, at + 1 == size ? none : at + 1, false};
        }
        const auto rank_at = [&](std::size_t at) {
            const std::size_t right = links[at].after;
            return right == none ? no_rank : pairs_.rank(ids[at], ids[right]);
        };
        using Entry = std::pair<Rank, std::size_t>;
        std::vector<Entry> entries;
        for (std::size_t at = 0; at < size; ++at)
            if (const Rank rank = rank_at(at); rank != no_rank) entries.emplace_back(rank, at);
        std::priority_queue<Entry, std::vector<Entry>, std::greater<>> heap(std::greater<>(),
                                                                            std::move(entries));
        while (!heap.empty()) {
            const auto [rank, at] = heap.top();
            heap.pop();
            if (links[at].gone || rank_at(at) != rank) continue;
            const std::size_t right = links[at].after;
            const std::size_t next = links[right].after;
            ids[at] = pairs_.made(rank);
            links[right].gone = true;
            links[at].after = next;
            if (next != none) links[next].before = at;
            for (const std::size_t left : {links[at].before, at})
                if (left != none)
                    if (const Rank fresh = rank_at(left); fresh != no_rank)
                        heap.emplace(fresh, left);
        }
        std::size_t kept = 0;
        for (std::size_t at = 0; at < size; ++at)
            if (!links[at].gone) ids[kept++] = ids[at];
        return kept;
    }

    std::array<Id, 256> byte_ids_;
    PairTable pairs_;
    LongPieces long_;
    WholePieces whole_;
};

}  // namespace bytebpe
