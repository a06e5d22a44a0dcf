// Equals `left_sizes` of bytebpe/token_parts.py: the two parts of which each token is made.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "unset_vector.hpp"

namespace bytebpe {

// The ranks of tokens, by their bytes: those of two bytes in a square, the others in an
// open-addressing hash table, at most half full, whose entries tell most other tokens apart
// by 32 bits of their hash.
class RankTable {
public:
    static constexpr std::uint32_t never = UINT32_MAX;

    explicit RankTable(const std::vector<std::string_view>& tokens)
        : tokens_(tokens), of_two_(std::size_t{1} << 16, never) {
        std::size_t size = 2;
        while (size < 2 * tokens.size()) size *= 2;
        slots_.resize(size);
        for (std::size_t at = 0; at < tokens.size(); ++at) {
            const auto rank = static_cast<std::uint32_t>(at);
            if (tokens[at].size() == 2) {
                of_two_[place_of(tokens[at])] = rank;
                continue;
            }
            const std::uint64_t hash = hash_of(tokens[at]);
            std::size_t slot = hash & (size - 1);
            while (slots_[slot] != 0) slot = (slot + 1) & (size - 1);
            slots_[slot] = hash >> 32 << 32 | (rank + 1);
        }
    }

    // The rank of a token of two bytes or more; never if there is no such token.
    std::uint32_t rank(std::string_view token) const {
        if (token.size() == 2) return of_two_[place_of(token)];
        const std::uint64_t hash = hash_of(token);
        for (std::size_t slot = hash & (slots_.size() - 1);;
             slot = (slot + 1) & (slots_.size() - 1)) {
            const std::uint64_t entry = slots_[slot];
            if (entry == 0) return never;
            if (entry >> 32 != hash >> 32) continue;
            const auto rank = static_cast<std::uint32_t>(entry) - 1;
            if (tokens_[rank] == token) return rank;
        }
    }

private:
    static std::size_t place_of(std::string_view token) {
        return std::size_t{static_cast<std::uint8_t>(token[0])} << 8 |
               static_cast<std::uint8_t>(token[1]);
    }

    static std::uint64_t hash_of(std::string_view token) {
        std::uint64_t mixed = token.size();
        const auto take = [&](std::uint64_t part) {
            mixed = (mixed ^ part) * 0x9E3779B97F4A7C15u;
            mixed ^= mixed >> 32;
        };
        std::size_t at = 0;
        for (; at + 8 <= token.size(); at += 8) {
            std::uint64_t part;
            std::memcpy(&part, token.data() + at, 8);
            take(part);
        }
        std::uint64_t rest = 0;
        std::memcpy(&rest, token.data() + at, token.size() - at);
        take(rest);
        return mixed;
    }

    const std::vector<std::string_view>& tokens_;
    std::vector<std::uint32_t> of_two_;
    std::vector<std::uint64_t> slots_;  // the upper half of a hash, and a rank + 1; 0 if free
};

// For each token, in rank order, the size of its left part; 0 where no merge makes it, and 1 for
// a token of one byte, which has no parts.  No token may be given twice.
inline UnsetVector<std::uint32_t> left_sizes(const std::vector<std::string_view>& tokens) {
    const RankTable ranks(tokens);
    UnsetVector<std::uint32_t> sizes(tokens.size(), 0);
    std::vector<std::size_t> starts;        // of the parts, and behind them the end
    std::vector<std::uint32_t> pair_ranks;  // of each part with the next
    for (std::size_t at = 0; at < tokens.size(); ++at) {
        const std::string_view token = tokens[at];
        if (token.empty()) continue;
        const auto rank_of = [&](std::size_t part) {
            const std::size_t begin = starts[part];
            return ranks.rank(token.substr(begin, starts[part + 2] - begin));
        };
        starts.resize(token.size() + 1);
        for (std::size_t i = 0; i <= token.size(); ++i) starts[i] = i;
        pair_ranks.clear();
        for (std::size_t part = 0; token.size() > 2 && part + 1 < token.size(); ++part)
            pair_ranks.push_back(rank_of(part));
        while (pair_ranks.size() > 1) {
            const auto best = std::min_element(pair_ranks.begin(), pair_ranks.end());
            if (*best == RankTable::never) break;
            const auto part = static_cast<std::size_t>(best - pair_ranks.begin());
            starts.erase(starts.begin() + static_cast<std::ptrdiff_t>(part) + 1);
            pair_ranks.erase(best);
            if (part > 0) pair_ranks[part - 1] = rank_of(part - 1);
            if (part < pair_ranks.size()) pair_ranks[part] = rank_of(part);
        }
        const std::size_t parts = starts.size() - 1;
        sizes[at] = parts <= 2 ? static_cast<std::uint32_t>(starts[1]) : 0;
    }
    return sizes;
}

}  // namespace bytebpe
