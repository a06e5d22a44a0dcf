// Equals `split` of bytebpe/pretokenize.py for the patterns that are known by name, and `TEKKEN`.
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
#include "starts_gpt2.hpp"
#include "starts_o200k.hpp"
#include "unset_vector.hpp"

namespace bytebpe {

enum class Family { gpt2, cl100k, qwen2, o200k, tekken };

// Whether the pattern tells capitals from small letters, and marks from other symbols.
inline bool looks_at_case(Family family) {
    return family == Family::o200k || family == Family::tekken;
}

// What a scan works with; each thread has its own.
struct ScanScratch {
    ChunkMasks masks;
    std::vector<Word> starts;
    UnsetVector<std::uint32_t> places;
};

class FamilyScanner {
public:
    FamilyScanner(Family family, std::shared_ptr<const CharTable> table)
        : family_(family), classifier_(std::move(table), looks_at_case(family)) {}

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
        start(text, words, scratch.masks, scratch.starts);
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
    // before what is none and cannot belong to its word.  The end of the text where there is no
    // such place.
    std::size_t sure_start(const std::uint8_t* text, std::size_t size, std::size_t at) const {
        bool after_letter = false;
        while (at < size && continues(text[at])) ++at;
        for (; at < size; at += decode(text + at).size) {
            const CharClass kind = classifier_.kind(text + at);
            const bool is_letter = without_case(kind) == letter;
            const bool may_belong = looks_at_case(family_) && (kind == mark || text[at] == '\'');
            if (after_letter && !is_letter && !may_belong) return at;
            after_letter = is_letter;
        }
        return size;
    }

private:
    void start(const std::uint8_t* text, std::size_t words, ChunkMasks& masks,
               std::vector<Word>& starts) const {
        switch (family_) {
            case Family::gpt2:
                return start_gpt2(text, words, masks, starts);
            case Family::cl100k:
                return start_cl100k(text, words, masks, starts);
            case Family::qwen2:
                return start_qwen2(text, words, masks, starts);
            case Family::o200k:
                return start_o200k(text, words, masks, starts);
            case Family::tekken:
                return start_tekken(words, masks, starts);
        }
    }

    // Where the last piece but one starts, or a cut between letters near there: whatever follows
    // the chunk, the pieces before are as they are, and the text may be scanned afresh from there.
    std::size_t sure_end(std::size_t words, const ScanScratch& scratch) const {
        const ChunkMasks& masks = scratch.masks;
        const bool by_case = looks_at_case(family_);
        std::size_t found = 0, inside = 0;
        for (std::size_t w = words; w-- > 0;) {
            const Word starts = scratch.starts[w];
            // A word is cut by the case of letters long before.
            const Word cased = by_case ? masks.capitals[w] | masks.smalls[w] : 0;
            Word places = starts | (masks.cuts[w] & masks.letters[w]) | cased;
            for (; places != 0; places &= ~(Word{1} << highest_bit(places))) {
                const Word place = Word{1} << highest_bit(places);
                if ((starts & place) == 0 && (cased & place) != 0) {
                    inside = 0;
                    continue;
                }
                if (++found < 3) continue;
                const std::size_t at = 64 * w + highest_bit(places);
                if (inside == 0) inside = at;
                if (!by_case || (starts & place) != 0) return inside;
            }
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

    Family family_;
    Classifier classifier_;
};

}  // namespace bytebpe
