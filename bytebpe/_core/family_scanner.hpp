// Equals `split` of bytebpe/pretokenize.py for the patterns "gpt2", "cl100k" and "qwen2".
//
// These patterns tell apart letters, numbers, white space and the rest, and where they cut
// depends on near neighbours only.  So the classes of a whole chunk become bit masks, the cuts
// follow from shifts of them, 64 bytes at a time, and what is rare is mended one by one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "chunk_masks.hpp"
#include "classifier.hpp"
#include "isa.hpp"
#include "unset_vector.hpp"

namespace bytebpe {

enum class Family { gpt2, cl100k, qwen2 };

// What a scan works with; each thread has its own.
struct ScanScratch {
    ChunkMasks masks;
    std::vector<Word> starts;
    UnsetVector<std::uint32_t> places;
};

class FamilyScanner {
public:
    FamilyScanner(Family family, std::shared_ptr<const CharTable> table)
        : family_(family), classifier_(std::move(table)) {}

    // Finds where the pieces of a chunk start, cut further where no merge reaches across, and
    // leaves in `places` those places and the end; returns the number of pieces.  A chunk starts
    // where a piece does and ends with a whole character.  Where the text goes on after it, what
    // may yet change is left out: 0 if that is everything.  64 bytes past it must be readable.
    std::size_t scan(const std::uint8_t* text, std::size_t size, bool at_end, const Isa& isa,
                     ScanScratch& scratch) const {
        const std::size_t words = (size + 63) / 64;
        scratch.masks.make_room(words + 2);
        if (scratch.starts.size() < words + 2) scratch.starts.resize(words + 2);
        classifier_.classify(text, size, isa, scratch.masks);
        // What follows an apostrophe past the chunk may not be readable.
        if (size % 64 != 0) scratch.masks.apostrophes[words - 1] &= (Word{1} << size % 64) - 1;
        if (family_ == Family::gpt2)
            start_gpt2(text, words, scratch);
        else
            start_cl100k(text, size, words, scratch);
        if (size % 64 != 0) scratch.starts[words - 1] &= (Word{1} << size % 64) - 1;
        const std::size_t end = at_end ? size : sure_end(words, scratch);
        const std::size_t used = (end + 63) / 64;
        cut(end, scratch);
        if (end % 64 != 0) scratch.starts[used - 1] &= (Word{1} << end % 64) - 1;
        if (scratch.places.size() < end + 80) scratch.places.resize(end + 80);
        const std::size_t count = isa.positions(scratch.starts.data(), used, scratch.places.data());
        // `Isa::pack` reads four places at a time.
        for (std::size_t i = 0; i < 5; ++i)
            scratch.places[count + i] = static_cast<std::uint32_t>(end);
        return count;
    }

    // The first place from `at` on where a piece starts, whatever stands before: after a letter,
    // before what is none.  The end of the text where there is no such place.
    std::size_t sure_start(const std::uint8_t* text, std::size_t size, std::size_t at) const {
        bool after_letter = false;
        while (at < size && continues(text[at])) ++at;
        for (; at < size; at += decode(text + at).size) {
            const bool is_letter = classifier_.kind(text + at) == letter;
            if (after_letter && !is_letter) return at;
            after_letter = is_letter;
        }
        return size;
    }

private:
    // Where the last piece but one starts, or a cut between letters near there: whatever follows
    // the chunk, the pieces before are as they are, and the text may be scanned afresh from there.
    static std::size_t sure_end(std::size_t words, const ScanScratch& scratch) {
        std::size_t found = 0;
        for (std::size_t w = words; w-- > 0;) {
            const ChunkMasks& masks = scratch.masks;
            Word places = scratch.starts[w] | (masks.cuts[w] & masks.letters[w]);
            for (; places != 0; places &= ~(Word{1} << highest_bit(places)))
                if (++found == 3) return 64 * w + highest_bit(places);
        }
        return 0;
    }

    // Adds the cuts: all before wide characters, and of those before narrow ones, which are the
    // letters of alphabets, as many as make the pieces short enough for a key.
    static void cut(std::size_t end, ScanScratch& scratch) {
        const ChunkMasks& masks = scratch.masks;
        std::vector<Word>& starts = scratch.starts;
        std::size_t piece = 0;  // where the last piece starts
        std::size_t last = 0;   // where it could be cut last
        const auto piece_reaches = [&](std::size_t at) {
            if (at - piece <= 15 || last <= piece) return;
            set_bit(starts, last);
            piece = last;
        };
        for (std::size_t w = 0; w < (end + 63) / 64; ++w) {
            starts[w] |= masks.cuts[w];
            if (masks.narrow_cuts[w] == 0 && last <= piece) {
                if (starts[w] != 0) piece = 64 * w + highest_bit(starts[w]);
                continue;
            }
            for (Word places = starts[w] | masks.narrow_cuts[w]; places != 0;
                 places &= places - 1) {
                const std::size_t at = 64 * w + lowest_bit(places);
                if (at >= end) break;
                piece_reaches(at);
                (bit(starts, at) ? piece : last) = at;
            }
        }
        piece_reaches(end);
    }

    // 's 't 're 've 'm 'll 'd | ?L+ | ?N+ | ?other+ | white+ before white or the end | white+
    void start_gpt2(const std::uint8_t* text, std::size_t words, ScanScratch& scratch) const {
        const ChunkMasks& masks = scratch.masks;
        std::vector<Word>& starts = scratch.starts;
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
                        last_whites(scratch, w);
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

    // (?i:'s 't 're 've 'm 'll 'd) | [^CR LF L N]?L+ | N{1,3} | ?other+[CR LF]* |
    // white*[CR LF]+ | white+ before white or the end | white+
    void start_cl100k(const std::uint8_t* text, std::size_t size, std::size_t words,
                      ScanScratch& scratch) const {
        const ChunkMasks& masks = scratch.masks;
        std::vector<Word>& starts = scratch.starts;
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
            const Word number_starts = family_ == Family::qwen2
                                           ? numbers & ~masks.tails[w]
                                           : numbers & ~(numbers << 1 | numbers_in);
            starts[w] = (first_letter & ~(joins << 1 | joins_in)) | first_other | number_starts |
                        first_white | last_whites(scratch, w);
            letters_in = letters >> 63;
            numbers_in = numbers >> 63;
            others_in = others >> 63;
            whites_in = whites >> 63;
            spaces_in = spaces >> 63;
            joins_in = joins >> 63;
        }
        mend_joins(words, scratch);
        mend_newlines(size, words, scratch);
        if (family_ == Family::cl100k) mend_numbers(words, scratch);
        for (std::size_t w = 0; w < words; ++w)
            for (Word at_start = masks.apostrophes[w] & starts[w]; at_start != 0;
                 at_start &= at_start - 1) {
                const std::size_t at = 64 * w + lowest_bit(at_start);
                if (const std::size_t length = contraction(text + at, true); length != 0)
                    set_bit(starts, at + length);
            }
    }

    // The first bytes of the white characters before something that is not white.
    static Word last_whites(ScanScratch& scratch, std::size_t w) {
        const ChunkMasks& masks = scratch.masks;
        const Word whites = masks.whites[w];
        Word last = whites & ~(whites >> 1 | masks.whites[w + 1] << 63);
        for (Word wide = last & masks.tails[w]; wide != 0; wide &= wide - 1) {
            std::size_t at = 64 * w + lowest_bit(wide);
            last &= ~(wide & (~wide + 1));
            while (bit(masks.tails, at)) --at;
            if (at / 64 == w)
                last |= Word{1} << at % 64;
            else
                set_bit(scratch.starts, at);
        }
        return last;
    }

    // A single character of several bytes before letters takes them in, too.
    static void mend_joins(std::size_t words, ScanScratch& scratch) {
        const ChunkMasks& masks = scratch.masks;
        Word letters_in = 0, tails_in = 0;
        for (std::size_t w = 0; w < words; ++w) {
            const Word letters = masks.letters[w];
            Word suspects = letters & ~(letters << 1 | letters_in) & scratch.starts[w] &
                            (masks.tails[w] << 1 | tails_in);
            letters_in = letters >> 63;
            tails_in = masks.tails[w] >> 63;
            for (; suspects != 0; suspects &= suspects - 1) {
                const std::size_t at = 64 * w + lowest_bit(suspects);
                std::size_t lead = at - 1;
                while (bit(masks.tails, lead)) --lead;
                if (is_other(masks, lead) &&
                    (lead == 0 || (!is_other(masks, lead - 1) && !bit(masks.spaces, lead - 1))))
                    clear_bit(scratch.starts, at);
            }
        }
    }

    // White space with line ends in it: those right after a symbol belong to the symbol, and
    // the rest is cut after its last line end.
    static void mend_newlines(std::size_t size, std::size_t words, ScanScratch& scratch) {
        const ChunkMasks& masks = scratch.masks;
        std::vector<Word>& starts = scratch.starts;
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
    static void mend_numbers(std::size_t words, ScanScratch& scratch) {
        const ChunkMasks& masks = scratch.masks;
        std::size_t done = 0;
        Word in = 0;
        for (std::size_t w = 0; w < words; ++w) {
            const Word numbers = masks.numbers[w];
            const Word after1 = numbers << 1 | in >> 63, after2 = numbers << 2 | in >> 62,
                       after3 = numbers << 3 | in >> 61;
            in = numbers;
            for (Word fourth = numbers & after1 & after2 & after3; fourth != 0;
                 fourth &= fourth - 1) {
                std::size_t at = 64 * w + lowest_bit(fourth);
                if (at < done) continue;
                while (at > 0 && bit(masks.numbers, at - 1)) --at;
                for (std::size_t digits = 0; bit(masks.numbers, at); ++at) {
                    if (bit(masks.tails, at)) continue;
                    if (digits == 3) {
                        set_bit(scratch.starts, at);
                        digits = 0;
                    }
                    ++digits;
                }
                done = at;
            }
        }
    }

    static bool is_other(const ChunkMasks& masks, std::size_t at) {
        return !bit(masks.letters, at) && !bit(masks.numbers, at) && !bit(masks.whites, at);
    }

    // The length of the contraction that starts with this apostrophe; 0 where none does.
    static std::size_t contraction(const std::uint8_t* at, bool any_case) {
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

    Family family_;
    Classifier classifier_;
};

}  // namespace bytebpe
