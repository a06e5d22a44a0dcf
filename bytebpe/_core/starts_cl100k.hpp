// Equals the patterns "cl100k" and "qwen2" of bytebpe/patterns.py: where their pieces start.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "starts.hpp"

namespace bytebpe {

// Whether a symbol takes the letters after it into its piece: it is the first of its piece.
inline bool takes_letters(const ChunkMasks& masks, std::size_t symbol) {
    while (bit(masks.tails, symbol)) --symbol;
    return symbol == 0 || (!is_other(masks, symbol - 1) && !bit(masks.spaces, symbol - 1));
}

// A single character of several bytes before letters takes them in, too.
inline void mend_joins(std::size_t words, const ChunkMasks& masks, std::vector<Word>& starts) {
    Word letters_in = 0, tails_in = 0;
    for (std::size_t w = 0; w < words; ++w) {
        const Word letters = masks.letters[w];
        Word suspects =
            letters & ~(letters << 1 | letters_in) & starts[w] & (masks.tails[w] << 1 | tails_in);
        letters_in = letters >> 63;
        tails_in = masks.tails[w] >> 63;
        for (; suspects != 0; suspects &= suspects - 1) {
            const std::size_t at = 64 * w + lowest_bit(suspects);
            if (is_other(masks, at - 1) && takes_letters(masks, at - 1)) clear_bit(starts, at);
        }
    }
}

// Whether the blanks that begin a word of masks, if any, end before something that is not white.
inline bool blanks_end(const ChunkMasks& masks, std::size_t w) {
    while ((masks.rests[w] & ~masks.newlines[w]) == ~Word{0}) ++w;
    const Word newlines = masks.rests[w] & masks.newlines[w];
    const Word after = ~(masks.rests[w] & ~masks.newlines[w]);
    return (newlines & after & (~after + 1)) == 0;
}

// White space is cut after its last line end, before the blanks that are left.
inline void cut_after_newlines(std::size_t words, const ChunkMasks& masks,
                               std::vector<Word>& starts) {
    Word newlines_in = 0;
    for (std::size_t w = 0; w < words; ++w) {
        const Word newlines = masks.rests[w] & masks.newlines[w];
        const Word blanks = masks.rests[w] & ~masks.newlines[w];
        const Word first = blanks & (newlines << 1 | newlines_in);
        newlines_in = newlines >> 63;
        if (first == 0) continue;
        // All blanks of a run that no line end follows, from its last one backwards.
        Word last = blanks & ~(blanks >> 1) & ~(newlines >> 1);
        if (last >> 63 != 0 && !blanks_end(masks, w + 1)) last &= ~(Word{1} << 63);
        Word through = blanks;
        for (unsigned step = 1; step < 64; step *= 2) {
            last |= through & last >> step;
            through &= through >> step;
        }
        starts[w] |= first & last;
    }
}

// Numbers are cut one by one.
inline void cut_numbers(std::size_t words, const ChunkMasks& masks, std::vector<Word>& starts) {
    for (std::size_t w = 0; w < words; ++w) starts[w] |= masks.numbers[w] & ~masks.tails[w];
}

// Runs of more than three digits are cut after each third.
inline void cut_numbers_by_thirds(std::size_t words, const ChunkMasks& masks,
                                  std::vector<Word>& starts) {
    std::size_t done = 0;
    Word in = 0;
    for (std::size_t w = 0; w < words; ++w) {
        const Word numbers = masks.numbers[w];
        const Word after1 = numbers << 1 | in >> 63, after2 = numbers << 2 | in >> 62,
                   after3 = numbers << 3 | in >> 61;
        in = numbers;
        for (Word fourth = numbers & after1 & after2 & after3; fourth != 0; fourth &= fourth - 1) {
            std::size_t at = 64 * w + lowest_bit(fourth);
            if (at < done) continue;
            while (at > 0 && bit(masks.numbers, at - 1)) --at;
            for (std::size_t digits = 0; bit(masks.numbers, at); ++at) {
                if (bit(masks.tails, at)) continue;
                if (digits == 3) {
                    set_bit(starts, at);
                    digits = 0;
                }
                ++digits;
            }
            done = at;
        }
    }
}

// [^CR LF L N]?L+ | N+ | ?other+[CR LF]* | white*[CR LF]+ | white+ before white or the end | white+
inline void start_runs(std::size_t words, ChunkMasks& masks, std::vector<Word>& starts) {
    Word letters_in = 0, numbers_in = 0, others_in = 0, rests_in = 0, spaces_in = 0;
    Word joins_in = 0, symbols_in = 0;
    for (std::size_t w = 0; w < words; ++w) {
        const Word letters = masks.letters[w], numbers = masks.numbers[w];
        const Word whites = masks.whites[w], spaces = masks.spaces[w];
        const Word newlines = masks.newlines[w];
        const Word others = ~(letters | numbers | whites);
        const Word after_space = spaces << 1 | spaces_in;
        const Word first_other = others & ~(others << 1 | others_in) & ~after_space;
        const Word first_letter = letters & ~(letters << 1 | letters_in);
        // What takes the letters after it into its piece, where it is a single byte.
        const Word joins = (whites & ~newlines) | first_other;
        // The line ends right after a symbol belong to it.
        const Word rests = whites & ~runs_after(others, newlines, symbols_in);
        const Word first_rest = rests & ~(rests << 1 | rests_in);
        const Word first_number = numbers & ~(numbers << 1 | numbers_in);
        masks.rests[w] = rests;
        starts[w] = (first_letter & ~(joins << 1 | joins_in)) | first_other | first_number |
                    first_rest | (last_whites(masks, starts, w) & ~newlines);
        letters_in = letters >> 63;
        numbers_in = numbers >> 63;
        others_in = others >> 63;
        rests_in = rests >> 63;
        spaces_in = spaces >> 63;
        joins_in = joins >> 63;
    }
    for (std::size_t w = words; w < words + 2; ++w) masks.rests[w] = masks.whites[w];
    mend_joins(words, masks, starts);
    cut_after_newlines(words, masks, starts);
}

// (?i:'s 't 're 've 'm 'll 'd) before all else.
inline void cut_contractions(const std::uint8_t* text, std::size_t words, const ChunkMasks& masks,
                             std::vector<Word>& starts) {
    for (std::size_t w = 0; w < words; ++w)
        for (Word at_start = masks.apostrophes[w] & starts[w]; at_start != 0;
             at_start &= at_start - 1) {
            const std::size_t at = 64 * w + lowest_bit(at_start);
            if (const std::size_t length = contraction(text + at, true); length != 0)
                set_bit(starts, at + length);
        }
}

inline void start_cl100k(const std::uint8_t* text, std::size_t words, ChunkMasks& masks,
                         std::vector<Word>& starts) {
    start_runs(words, masks, starts);
    cut_numbers_by_thirds(words, masks, starts);
    cut_contractions(text, words, masks, starts);
}

inline void start_qwen2(const std::uint8_t* text, std::size_t words, ChunkMasks& masks,
                        std::vector<Word>& starts) {
    start_runs(words, masks, starts);
    cut_numbers(words, masks, starts);
    cut_contractions(text, words, masks, starts);
}

}  // namespace bytebpe
