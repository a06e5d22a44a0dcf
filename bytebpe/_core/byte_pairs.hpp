// Equals a set of pairs of bytes that follow each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace bytebpe {

class BytePairs {
public:
    static BytePairs all() {
        BytePairs pairs;
        pairs.has_all_ = true;
        return pairs;
    }

    static BytePairs of(const std::uint8_t* piece, std::size_t size) {
        BytePairs pairs;
        pairs.has_.resize(std::size_t{1} << 16);
        std::uint8_t* const has = pairs.has_.data();
        for (std::size_t at = 1; at < size; ++at) has[place(piece + at - 1)] = 1;
        return pairs;
    }

    bool has(std::uint8_t left, std::uint8_t right) const {
        const std::uint8_t pair[] = {left, right};
        return has_all_ || has_[place(pair)] != 0;
    }

    bool has_those_of(const std::uint8_t* piece, std::size_t size) const {
        if (has_all_) return true;
        std::uint8_t found = 1;
        for (std::size_t at = 1; at < size; ++at) found &= has_[place(piece + at - 1)];
        return found != 0;
    }

private:
    static std::size_t place(const std::uint8_t* pair) {
        std::uint16_t both;
        std::memcpy(&both, pair, 2);
        return both;
    }

    std::vector<std::uint8_t> has_;  // bytes, not bits: to set one needs no look at the others
    bool has_all_ = false;
};

}  // namespace bytebpe
