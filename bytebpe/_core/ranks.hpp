// Equals `recover` of bytebpe/formats/ranks.py: the two parts of which each token is made.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace bytebpe {

// For each token, in rank order, the size of its left part; 0 where no merge makes it.  A
// token of one byte has no parts and gets 1.
inline std::vector<std::uint32_t> left_sizes(const std::vector<std::string_view>& tokens) {
    constexpr std::uint32_t never = UINT32_MAX;
    std::unordered_map<std::string_view, std::uint32_t> ranks;
    ranks.reserve(tokens.size());
    for (std::size_t rank = 0; rank < tokens.size(); ++rank)
        ranks.emplace(tokens[rank], static_cast<std::uint32_t>(rank));

    std::vector<std::uint32_t> sizes(tokens.size());
    std::vector<std::size_t> starts;        // of the parts, and behind them the end
    std::vector<std::uint32_t> pair_ranks;  // of each part with the next
    for (std::size_t at = 0; at < tokens.size(); ++at) {
        const std::string_view token = tokens[at];
        const auto rank_of = [&](std::size_t part) {
            const std::size_t begin = starts[part];
            const auto found = ranks.find(token.substr(begin, starts[part + 2] - begin));
            return found == ranks.end() ? never : found->second;
        };
        starts.resize(token.size() + 1);
        for (std::size_t i = 0; i <= token.size(); ++i) starts[i] = i;
        pair_ranks.clear();
        for (std::size_t part = 0; token.size() > 2 && part + 1 < token.size(); ++part)
            pair_ranks.push_back(rank_of(part));
        while (pair_ranks.size() > 1) {
            const auto best = std::min_element(pair_ranks.begin(), pair_ranks.end());
            if (*best == never) break;
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
