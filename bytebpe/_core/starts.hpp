// Equals what the patterns that are known by name have in common, see bytebpe/patterns.py.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "chunk_masks.hpp"

namespace bytebpe {

inline bool is_other(const ChunkMasks& masks, std::size_t at) {
    return !bit(masks.letters, at) && !bit(masks.numbers, at) && !bit(masks.whites, at);
}

// The first bytes of the white characters before something that is not white.
inline Word last_whites(const ChunkMasks& masks, std::vector<Word>& starts, std::size_t w) {
    const Word whites = masks.whites[w];
    Word last = whites & ~(whites >> 1 | masks.whites[w + 1] << 63);
    for (Word wide = last & masks.tails[w]; wide != 0; wide &= wide - 1) {
        std::size_t at = 64 * w + lowest_bit(wide);
        last &= ~(wide & (~wide + 1));
        while (bit(masks.tails, at)) --at;
        if (at / 64 == w)
            last |= Word{1} << at % 64;
        else
            set_bit(starts, at);
    }
    return last;
}

// The length of the contraction that starts with this apostrophe; 0 where none does.
inline std::size_t contraction(const std::uint8_t* at, bool any_case) {
    const auto lower = [any_case](std::uint8_t byte) {
        return any_case && byte >= 'A' && byte <= 'Z' ? static_cast<std::uint8_t>(byte | 0x20)
                                                      : byte;
    };
    const std::uint8_t first = lower(at[1]), second = lower(at[2]);
    if (first == 's' || first == 't' || first == 'm' || first == 'd') return 2;
    if ((first == 'r' && second == 'e') || (first == 'v' && second == 'e') ||
        (first == 'l' && second == 'l'))
        return 3;
    // U+017F, the long s, is an s in any case.
    return any_case && at[1] == 0xC5 && at[2] == 0xBF ? 3 : 0;
}

}  // namespace bytebpe
