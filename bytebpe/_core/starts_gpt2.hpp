// Equals the pattern "gpt2" of bytebpe/patterns.py: where its pieces start.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "starts.hpp"

namespace bytebpe {

// 's 't 're 've 'm 'll 'd | ?L+ | ?N+ | ?other+ | white+ before white or the end | white+
inline void start_gpt2(const std::uint8_t* text, std::size_t words, const ChunkMasks& masks,
                       std::vector<Word>& starts) {
    Word letters_in = 0, numbers_in = 0, others_in = 0, whites_in = 0, spaces_in = 0;
    for (std::size_t w = 0; w < words; ++w) {
        const Word letters = masks.letters[w], numbers = masks.numbers[w];
        const Word whites = masks.whites[w], spaces = masks.spaces[w];
        const Word others = ~(letters | numbers | whites);
        const Word same = (letters & (letters << 1 | letters_in)) |
                          (numbers & (numbers << 1 | numbers_in)) |
                          (others & (others << 1 | others_in));
        const Word first_white = whites & ~(whites << 1 | whites_in);
        starts[w] = (~whites & ~same & ~(spaces << 1 | spaces_in)) | first_white |
                    last_whites(masks, starts, w);
        letters_in = letters >> 63;
        numbers_in = numbers >> 63;
        others_in = others >> 63;
        whites_in = whites >> 63;
        spaces_in = spaces >> 63;
    }
    for (std::size_t w = 0; w < words; ++w)
        for (Word at_start = masks.apostrophes[w] & starts[w]; at_start != 0;
             at_start &= at_start - 1) {
            const std::size_t at = 64 * w + lowest_bit(at_start);
            const std::size_t size = contraction(text + at, false);
            if (size == 0) continue;
            clear_bit(starts, at + 1);
            set_bit(starts, at + size);
        }
}

}  // namespace bytebpe
