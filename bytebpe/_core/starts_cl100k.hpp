// Equals the patterns "cl100k" and "qwen2" of bytebpe/patterns.py: where their pieces start.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "starts.hpp"

namespace bytebpe {

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
            std::size_t lead = at - 1;
            while (bit(masks.tails, lead)) --lead;
            if (is_other(masks, lead) &&
                (lead == 0 || (!is_other(masks, lead - 1) && !bit(masks.spaces, lead - 1))))
                clear_bit(starts, at);
        }
    }
}

// White space with line ends in it: those right after a symbol belong to the symbol, and
// the rest is cut after its last line end.
inline void mend_newlines(std::size_t size, std::size_t words, const ChunkMasks& masks,
                          std::vector<Word>& starts) {
    std::size_t done = 0;
    for (std::size_t w = 0; w < words; ++w)
        for (Word newlines = masks.newlines[w]; newlines != 0; newlines &= newlines - 1) {
            std::size_t first = 64 * w + lowest_bit(newlines);
            if (first < done || first >= size) continue;
            std::size_t end = first;
            std::size_t last_newline = first;
            while (end < size && bit(masks.whites, end)) {
                clear_bit(starts, end);
                if (bit(masks.newlines, end)) last_newline = end;
                ++end;
            }
            while (first > done && bit(masks.whites, first - 1)) clear_bit(starts, --first);
            done = end;
            if (first > 0 && is_other(masks, first - 1))
                while (first < end && bit(masks.newlines, first)) ++first;
            if (first == end) continue;
            set_bit(starts, first);
            const std::size_t rest = last_newline >= first ? last_newline + 1 : first;
            if (rest == end) continue;
            set_bit(starts, rest);
            if (end == size) continue;
            std::size_t last = end - 1;
            while (bit(masks.tails, last)) --last;
            set_bit(starts, last);
        }
}

// Runs of more than three digits are cut after each third.
inline void mend_numbers(std::size_t words, const ChunkMasks& masks, std::vector<Word>& starts) {
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
inline void start_runs(std::size_t size, std::size_t words, const ChunkMasks& masks,
                       std::vector<Word>& starts) {
    Word letters_in = 0, numbers_in = 0, others_in = 0, whites_in = 0, spaces_in = 0;
    Word joins_in = 0;
    for (std::size_t w = 0; w < words; ++w) {
        const Word letters = masks.letters[w], numbers = masks.numbers[w];
        const Word whites = masks.whites[w], spaces = masks.spaces[w];
        const Word others = ~(letters | numbers | whites);
        const Word after_space = spaces << 1 | spaces_in;
        const Word first_other = others & ~(others << 1 | others_in) & ~after_space;
        const Word first_letter = letters & ~(letters << 1 | letters_in);
        // What takes the letters after it into its piece, where it is a single byte.
        const Word joins = (whites & ~masks.newlines[w]) | first_other;
        const Word first_white = whites & ~(whites << 1 | whites_in);
        const Word first_number = numbers & ~(numbers << 1 | numbers_in);
        starts[w] = (first_letter & ~(joins << 1 | joins_in)) | first_other | first_number |
                    first_white | last_whites(masks, starts, w);
        letters_in = letters >> 63;
        numbers_in = numbers >> 63;
        others_in = others >> 63;
        whites_in = whites >> 63;
        spaces_in = spaces >> 63;
        joins_in = joins >> 63;
    }
    mend_joins(words, masks, starts);
    mend_newlines(size, words, masks, starts);
}

// (?i:'s 't 're 've 'm 'll 'd) and the runs, those of numbers cut after each third one for
// "cl100k", after each for "qwen2".
inline void start_cl100k(const std::uint8_t* text, std::size_t size, std::size_t words,
                         bool by_thirds, const ChunkMasks& masks, std::vector<Word>& starts) {
    start_runs(size, words, masks, starts);
    if (by_thirds)
        mend_numbers(words, masks, starts);
    else
        for (std::size_t w = 0; w < words; ++w) starts[w] |= masks.numbers[w] & ~masks.tails[w];
    for (std::size_t w = 0; w < words; ++w)
        for (Word at_start = masks.apostrophes[w] & starts[w]; at_start != 0;
             at_start &= at_start - 1) {
            const std::size_t at = 64 * w + lowest_bit(at_start);
            if (const std::size_t length = contraction(text + at, true); length != 0)
                set_bit(starts, at + length);
        }
}

}  // namespace bytebpe
