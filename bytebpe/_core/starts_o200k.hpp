// Equals the patterns "o200k" and `TEKKEN` of bytebpe/patterns.py: where their pieces start.
//
// "o200k" is "cl100k" but for three things.  Marks, which are no letters, belong to words; a word
// is cut where its capitals begin anew; and slashes, which are symbols, may belong to the line ends
// after a symbol.  So marks and slashes are first put where they belong, which takes a look at what
// stands before the few of which that is not plain; the rest is the other pattern's work.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "starts_cl100k.hpp"

namespace bytebpe {

// Makes marks after a symbol symbols, too, unless they begin a word.
inline void settle_marks(std::size_t at, ChunkMasks& masks) {
    if (!is_other(masks, at - 1) || takes_letters(masks, at - 1)) return;
    for (; bit(masks.marks, at); ++at) clear_bit(masks.letters, at);
}

// Makes slashes after line ends line ends, too, if a symbol stands before; `settled` is where the
// last of these ended.
inline void settle_slashes(std::size_t at, std::size_t& settled, ChunkMasks& masks) {
    std::size_t first = at - 1;
    while (first > settled && bit(masks.newlines, first - 1)) --first;
    if (first != settled && !is_other(masks, first - 1)) return;
    if (first == 0) return;
    for (; bit(masks.slashes, at); ++at) {
        set_bit(masks.newlines, at);
        set_bit(masks.whites, at);
    }
    settled = at;
}

inline void settle(std::size_t words, ChunkMasks& masks) {
    std::size_t settled = 0;
    Word marks_in = 0, newlines_in = 0, others_in = 0;
    for (std::size_t w = 0; w < words; ++w) {
        const Word marks = masks.marks[w];
        const Word others = ~(masks.letters[w] | masks.numbers[w] | masks.whites[w]);
        const Word first_marks = marks & ~(marks << 1 | marks_in) & (others << 1 | others_in);
        const Word first_slashes = masks.slashes[w] & (masks.newlines[w] << 1 | newlines_in);
        marks_in = marks >> 63;
        newlines_in = masks.newlines[w] >> 63;
        others_in = others >> 63;
        for (Word doubtful = first_marks | first_slashes; doubtful != 0; doubtful &= doubtful - 1) {
            const std::size_t at = 64 * w + lowest_bit(doubtful);
            if (bit(masks.marks, at))
                settle_marks(at, masks);
            else
                settle_slashes(at, settled, masks);
        }
    }
}

// Whether a word that starts at `start` is cut before its capital at `at`, after a character of
// no case: if it has small letters before, or ends with these capitals.
inline bool is_cut(const ChunkMasks& masks, std::size_t start, std::size_t at) {
    for (std::size_t before = at; before-- > start && bit(masks.letters, before);) {
        if (bit(masks.smalls, before)) return true;
        if (bit(masks.capitals, before)) break;
    }
    while (bit(masks.capitals, at)) ++at;
    return !bit(masks.letters, at);
}

inline void cut_words(std::size_t words, const ChunkMasks& masks, std::vector<Word>& starts) {
    Word smalls_in = 0, caseless_in = 0;
    for (std::size_t w = 0; w < words; ++w) {
        const Word capitals = masks.capitals[w], smalls = masks.smalls[w];
        const Word caseless = masks.letters[w] & ~capitals & ~smalls;
        starts[w] |= capitals & (smalls << 1 | smalls_in);
        Word doubtful = capitals & (caseless << 1 | caseless_in);
        smalls_in = smalls >> 63;
        caseless_in = caseless >> 63;
        for (; doubtful != 0; doubtful &= doubtful - 1) {
            const std::size_t at = 64 * w + lowest_bit(doubtful);
            if (is_cut(masks, 0, at)) set_bit(starts, at);
        }
    }
}

// A contraction belongs to the word before it, and what follows begins a word.
inline void join_contractions(const std::uint8_t* text, std::size_t words, const ChunkMasks& masks,
                              std::vector<Word>& starts) {
    std::size_t done = 0;  // a word has one contraction at most
    for (std::size_t w = 0; w < words; ++w)
        for (Word at_start = masks.apostrophes[w] & starts[w]; at_start != 0;
             at_start &= at_start - 1) {
            const std::size_t at = 64 * w + lowest_bit(at_start);
            if (at == done || !bit(masks.letters, at - 1)) continue;
            const std::size_t size = contraction(text + at, true);
            if (size == 0) continue;
            for (std::size_t i = 0; i < size; ++i) clear_bit(starts, at + i);
            done = at + size;
            set_bit(starts, done);
            // The capitals after it were judged by the letters of the contraction.
            std::size_t capital = done;
            while (bit(masks.letters, capital) && !bit(masks.smalls, capital) &&
                   !bit(masks.capitals, capital))
                ++capital;
            if (capital > done && bit(masks.capitals, capital) && !is_cut(masks, done, capital))
                clear_bit(starts, capital);
        }
}

// What both have in common, with numbers in runs.
inline void start_cased_runs(std::size_t words, ChunkMasks& masks, std::vector<Word>& starts) {
    settle(words, masks);
    start_runs(words, masks, starts);
    cut_words(words, masks, starts);
}

// [^CR LF L N]?[Lu Lt Lm Lo M]*[Ll Lm Lo M]+(?i:'s 't 're 've 'm 'll 'd)? |
// [^CR LF L N]?[Lu Lt Lm Lo M]+[Ll Lm Lo M]*(?i:'s 't 're 've 'm 'll 'd)? |
// N{1,3} | ?other+[CR LF /]* | white*[CR LF]+ | white+ before white or the end | white+
inline void start_o200k(const std::uint8_t* text, std::size_t words, ChunkMasks& masks,
                        std::vector<Word>& starts) {
    start_cased_runs(words, masks, starts);
    cut_numbers_by_thirds(words, masks, starts);
    join_contractions(text, words, masks, starts);
}

// The same without contractions, and each number by itself.
inline void start_tekken(std::size_t words, ChunkMasks& masks, std::vector<Word>& starts) {
    start_cased_runs(words, masks, starts);
    cut_numbers(words, masks, starts);
}

}  // namespace bytebpe
