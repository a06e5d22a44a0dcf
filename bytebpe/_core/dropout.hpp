// Equals `SplitMix64` and `Sampler` of bytebpe/dropout.py, and `MergeTable.sample`.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "pair_table.hpp"

namespace bytebpe {

class SplitMix64 {
public:
    explicit SplitMix64(std::uint64_t state) : state_(state) {}

    std::uint64_t state() const { return state_; }

    double below_one() {
        state_ += 0x9E3779B97F4A7C15;
        std::uint64_t bits = state_;
        bits = (bits ^ bits >> 30) * 0xBF58476D1CE4E5B9;
        bits = (bits ^ bits >> 27) * 0x94D049BB133111EB;
        bits ^= bits >> 31;
        return static_cast<double>(bits >> 11) * 0x1p-53;
    }

private:
    std::uint64_t state_;
};

class Sampler {
public:
    Sampler(const std::array<Id, 256>& byte_ids, const std::vector<Merge>& merges)
        : byte_ids_(byte_ids), pairs_(merges) {}

    // Adds ids of one piece, of whose pairs some are dropped in each step.
    void sample(const std::uint8_t* piece, std::size_t size, double dropout, SplitMix64& random,
                std::vector<Id>& ids) {
        links_.resize(size);
        for (std::size_t at = 0; at < size; ++at)
            links_[at] = {byte_ids_[piece[at]], at == 0 ? none : at - 1,
                          at + 1 == size ? none : at + 1, false};
        const auto rank_at = [&](std::size_t at) {
            const std::size_t right = links_[at].after;
            return right == none ? no_rank : pairs_.rank(links_[at].id, links_[right].id);
        };
        std::vector<Entry> entries;
        for (std::size_t at = 0; at < size; ++at)
            if (const Rank rank = rank_at(at); rank != no_rank) entries.emplace_back(rank, at);
        std::priority_queue<Entry, std::vector<Entry>, std::greater<>> heap(std::greater<>(),
                                                                            std::move(entries));
        dropped_.clear();
        while (!heap.empty()) {
            const Entry best = heap.top();
            const auto [rank, at] = best;
            heap.pop();
            if (links_[at].gone || rank_at(at) != rank) continue;
            if (random.below_one() < dropout) {
                dropped_.push_back(best);
                continue;
            }
            for (const Entry& entry : dropped_) heap.push(entry);  // they may stay in the next step
            dropped_.clear();
            const std::size_t right = links_[at].after;
            const std::size_t next = links_[right].after;
            links_[at].id = pairs_.made(rank);
            links_[right].gone = true;
            links_[at].after = next;
            if (next != none) links_[next].before = at;
            for (const std::size_t left : {links_[at].before, at})
                if (left != none)
                    if (const Rank fresh = rank_at(left); fresh != no_rank)
                        heap.emplace(fresh, left);
        }
        for (const Link& link : links_)
            if (!link.gone) ids.push_back(link.id);
    }

private:
    static constexpr std::size_t none = SIZE_MAX;
    using Entry = std::pair<Rank, std::size_t>;

    struct Link {
        Id id;
        std::size_t before, after;
        bool gone;
    };

    std::array<Id, 256> byte_ids_;
    PairTable pairs_;
    std::vector<Link> links_;
    std::vector<Entry> dropped_;
};

}  // namespace bytebpe
