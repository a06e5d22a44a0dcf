// Equals the classes of patterns in bytebpe/patterns.py on a whole chunk, and finds its cuts.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "char_table.hpp"
#include "chunk_masks.hpp"
#include "isa.hpp"
#include "utf8.hpp"

namespace bytebpe {

class Classifier {
public:
    // `by_case`: the table tells the cases of letters apart, and so do the masks.
    Classifier(std::shared_ptr<const CharTable> table, bool by_case)
        : table_(std::move(table)), by_case_(by_case) {}

    // Fills the masks, which have two words more than the chunk, for a chunk of whole characters.
    void classify(const std::uint8_t* text, std::size_t size, const Isa& isa,
                  ChunkMasks& masks) const {
        const std::size_t words = (size + 63) / 64;
        isa.classify_ascii(text, words, masks);
        for (std::size_t w = words; w < words + 2; ++w)
            masks.letters[w] = masks.numbers[w] = masks.whites[w] = masks.spaces[w] =
                masks.newlines[w] = masks.tails[w] = masks.cuts[w] = masks.narrow_cuts[w] = 0;
        if (by_case_) classify_cases(text, words, isa, masks);
        WideEntries entries;
        Carries cases;
        Word letters_in = 0, numbers_in = 0, whites_in = 0, beyond_in = 0, others_in = 0;
        for (std::size_t w = 0; w < words; ++w) {
            if (masks.beyond[w] == 0) {
                masks.cuts[w] = masks.narrow_cuts[w] = 0;
                letters_in = numbers_in = whites_in = beyond_in = others_in = 0;
                cases = {};
                continue;
            }
            const Word tails = masks.tails[w];
            Word leads = masks.beyond[w] & ~tails;
            if (w + 1 == words && size % 64 != 0) leads &= (Word{1} << size % 64) - 1;
            WideMasks found;
            Word narrow = 0;
            if (leads != 0) {
                const Word next = masks.tails[w + 1];
                narrow = leads & ~(tails >> 2 | next << 62);
                read(text + 64 * w, leads & narrow, leads & ~narrow, tails >> 3 | next << 61,
                     entries);
                found = isa.read_entries(entries);
                std::copy_n(entries.before.begin() + 64, 4, entries.before.begin());
            }
            const Word letters = leads & ((found.low & ~found.high) | found.third);
            const Word numbers = leads & found.high & ~found.low & ~found.third;
            const Word whites = leads & found.low & found.high;
            masks.letters[w] |= with_tails(letters, tails, letters_in);
            masks.numbers[w] |= with_tails(numbers, tails, numbers_in);
            masks.whites[w] |= with_tails(whites, tails, whites_in);
            if (by_case_) add_cases(leads, tails, found, w, cases, masks);
            // Numbers and white space are divided by how many they are.
            const Word others =
                masks.beyond[w] & ~(masks.letters[w] | masks.numbers[w] | masks.whites[w]);
            const Word beyond_letters = masks.beyond[w] & masks.letters[w];
            const Word same = (beyond_letters & (beyond_letters << 1 | beyond_in)) |
                              (others & (others << 1 | others_in));
            const Word cuts = leads & ~found.reached & same;
            masks.cuts[w] = cuts & ~narrow;
            masks.narrow_cuts[w] = cuts & narrow;
            beyond_in = beyond_letters >> 63;
            others_in = others >> 63;
        }
        if (size % 64 != 0)
            for (auto* mask : {&masks.whites, &masks.newlines, &masks.apostrophes, &masks.slashes})
                (*mask)[words - 1] &= (Word{1} << size % 64) - 1;
        // White space that touches the end of the chunk is followed by nothing or by who knows.
        set_bit(masks.whites, size);
    }

    CharClass kind(const std::uint8_t* character) const {
        return table_->kind(decode(character).point);
    }

private:
    // What a word hands on to the next: 1 where that begins with bytes of the same characters.
    struct Carries {
        Word capitals = 0, smalls = 0, marks = 0;
    };

    // The ASCII letters among the masks that tell cases apart.
    static void classify_cases(const std::uint8_t* text, std::size_t words, const Isa& isa,
                               ChunkMasks& masks) {
        isa.find_bytes(text, words, 'A', 'Z', masks.capitals.data());
        isa.find_bytes(text, words, '/', '/', masks.slashes.data());
        for (std::size_t w = 0; w < words; ++w) {
            masks.smalls[w] = masks.letters[w] & ~masks.capitals[w];
            masks.marks[w] = 0;
        }
        for (std::size_t w = words; w < words + 2; ++w)
            masks.capitals[w] = masks.smalls[w] = masks.marks[w] = masks.slashes[w] = 0;
    }

    static void add_cases(Word leads, Word tails, const WideMasks& found, std::size_t w,
                          Carries& carries, ChunkMasks& masks) {
        const Word capitals = leads & found.third & ~found.low & ~found.high;
        const Word smalls = leads & found.low & ~found.high & ~found.third;
        masks.capitals[w] |= with_tails(capitals, tails, carries.capitals);
        masks.smalls[w] |= with_tails(smalls, tails, carries.smalls);
        masks.marks[w] |= with_tails(leads & found.third & found.high, tails, carries.marks);
    }

    // Reads the entries of the characters of two bytes and of more that begin in one word; those
    // of four are in `fourth`, too.
    void read(const std::uint8_t* text, Word two, Word more, Word fourth,
              WideEntries& entries) const {
        const CharEntry* narrow = table_->narrow();
        const auto put = [&](unsigned place, std::size_t size, CharEntry entry) {
            entries.here[place] = entry;
            entries.before[place + size] = entry;
        };
        const auto bits = [text](std::size_t at, std::uint32_t mask) { return text[at] & mask; };
        for (; two != 0; two &= two - 1) {
            const unsigned at = lowest_bit(two);
            put(at, 2, narrow[bits(at, 0x1F) << 6 | bits(at + 1, 0x3F)]);
        }
        for (Word three = more & ~fourth; three != 0; three &= three - 1) {
            const unsigned at = lowest_bit(three);
            put(at, 3, narrow[bits(at, 0x0F) << 12 | bits(at + 1, 0x3F) << 6 | bits(at + 2, 0x3F)]);
        }
        for (Word four = more & fourth; four != 0; four &= four - 1) {
            const unsigned at = lowest_bit(four);
            put(at, 4, table_->wide(decode(text + at).point));
        }
    }

    // These lead bytes and the bytes after them that belong to the same characters.
    static Word with_tails(Word leads, Word tails, Word& carry) {
        return leads | runs_after(leads, tails, carry);
    }

    std::shared_ptr<const CharTable> table_;
    bool by_case_;
};

}  // namespace bytebpe
