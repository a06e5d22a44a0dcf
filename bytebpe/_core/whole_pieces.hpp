// Equals the `_whole` of bytebpe/ordinary.py: pieces that are a token as they stand.
//
// Only tokens that merges do not make need an entry; for all others the merges give the same.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>

#include "pair_table.hpp"

namespace bytebpe {

class WholePieces {
public:
    void add(const std::uint8_t* piece, std::size_t size, Id id) {
        longest_ = std::max(longest_, size);
        ids_[key(piece, size)] = id;
    }

    // Null for a piece that is merged.
    const Id* find(const std::uint8_t* piece, std::size_t size) const {
        if (size > longest_) return nullptr;
        const auto found = ids_.find(key(piece, size));
        return found == ids_.end() ? nullptr : &found->second;
    }

private:
    static std::string key(const std::uint8_t* piece, std::size_t size) {
        return {reinterpret_cast<const char*>(piece), size};
    }

    std::unordered_map<std::string, Id> ids_;
    std::size_t longest_ = 0;
};

}  // namespace bytebpe
