// Equals `MergeTable` of bytebpe/merge.py: the bytes of one piece to token ids.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <string_view>
#include <utility>
#include <vector>

#include "pair_table.hpp"

namespace bytebpe {

// Pieces of more bytes than this go through the heap; see HEAP_ABOVE in merge.py.
inline constexpr std::size_t heap_above = 128;

class Merger {
public:
    Merger(const std::array<Id, 256>& byte_ids, const std::vector<Merge>& merges)
        : byte_ids_(byte_ids), pairs_(merges) {}

    std::vector<Id> merge(std::string_view piece) const {
        std::vector<Id> ids(piece.size());
        std::transform(piece.begin(), piece.end(), ids.begin(),
                       [this](char byte) { return byte_ids_[static_cast<unsigned char>(byte)]; });
        if (ids.size() > heap_above)
            by_heap(ids);
        else
            by_scan(ids);
        return ids;
    }

private:
    // Look at every pair, merge the best and leftmost, look again.
    void by_scan(std::vector<Id>& ids) const {
        std::vector<Rank> ranks;  // of each id with its right neighbour
        for (std::size_t at = 0; at + 1 < ids.size(); ++at)
            ranks.push_back(pairs_.rank(ids[at], ids[at + 1]));
        while (!ranks.empty()) {
            const auto best = std::min_element(ranks.begin(), ranks.end());
            if (*best == no_rank) break;
            const auto at = static_cast<std::size_t>(best - ranks.begin());
            ids[at] = pairs_.made(*best);
            ids.erase(ids.begin() + static_cast<std::ptrdiff_t>(at) + 1);
            ranks.erase(best);
            if (at > 0) ranks[at - 1] = pairs_.rank(ids[at - 1], ids[at]);
            if (at < ranks.size()) ranks[at] = pairs_.rank(ids[at], ids[at + 1]);
        }
    }

    // Keep the pairs in a heap by rank, then place: n log n for a piece of n bytes.  A merge
    // leaves its result in the left place and unlinks the right one; an entry whose place
    // holds another pair by now is stale.
    void by_heap(std::vector<Id>& ids) const {
        const std::size_t size = ids.size();
        constexpr std::size_t none = SIZE_MAX;
        struct Link {
            std::size_t before, after;
            bool gone;
        };
        std::vector<Link> links(size);
        for (std::size_t at = 0; at < size; ++at)
            links[at] = {at == 0 ? none : at - 1, at + 1 == size ? none : at + 1, false};

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
        ids.resize(kept);
    }

    std::array<Id, 256> byte_ids_;
    PairTable pairs_;
};

}  // namespace bytebpe
