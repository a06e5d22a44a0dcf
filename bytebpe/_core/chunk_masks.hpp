// Equals the classes of char_table.hpp, byte by byte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bytebpe {

using Word = std::uint64_t;

// One bit for each byte of a chunk, 64 to a word; all bytes of a character have its class.
struct ChunkMasks {
    std::vector<Word> letters, numbers, whites;
    std::vector<Word> spaces;       // U+0020 alone
    std::vector<Word> newlines;     // CR and LF
    std::vector<Word> apostrophes;  // U+0027
    std::vector<Word> tails;        // all bytes of a character but its first
    std::vector<Word> beyond;       // bytes outside ASCII
    // First bytes of characters that no merge reaches from the one before, of the same class:
    // wide ones of three or four bytes, narrow ones of two.
    std::vector<Word> cuts, narrow_cuts;
    std::vector<Word> rests;  // white space but the line ends that belong to a symbol
    // Of patterns that tell cases apart: letters with a case, marks, which are letters too, and
    // U+002F.
    std::vector<Word> capitals, smalls, marks, slashes;

    void make_room(std::size_t words) {
        if (letters.size() >= words) return;
        for (auto* mask :
             {&letters, &numbers, &whites, &spaces, &newlines, &apostrophes, &tails, &beyond, &cuts,
              &narrow_cuts, &rests, &capitals, &smalls, &marks, &slashes})
            mask->resize(words);
    }
};

// The bits of `runs` in runs that begin right after one of `before`; `carry` is 1 where the next
// word begins with such bits.  An addition goes through each run.
inline Word runs_after(Word before, Word runs, Word& carry) {
    const Word firsts = (before << 1 | carry) & runs;
    const Word sum = runs + firsts;
    carry = before >> 63 | Word{sum < runs};
    return runs & ~sum;
}

inline unsigned lowest_bit(Word word) {
#if defined(__GNUC__) || defined(__clang__)
    return static_cast<unsigned>(__builtin_ctzll(word));
#else
    unsigned at = 0;
    while ((word >> at & 1) == 0) ++at;
    return at;
#endif
}

inline unsigned highest_bit(Word word) {
#if defined(__GNUC__) || defined(__clang__)
    return 63U - static_cast<unsigned>(__builtin_clzll(word));
#else
    unsigned at = 63;
    while ((word >> at & 1) == 0) --at;
    return at;
#endif
}

inline bool bit(const std::vector<Word>& mask, std::size_t at) {
    return (mask[at / 64] >> (at % 64) & 1) != 0;
}

inline void set_bit(std::vector<Word>& mask, std::size_t at) {
    mask[at / 64] |= Word{1} << (at % 64);
}

inline void clear_bit(std::vector<Word>& mask, std::size_t at) {
    mask[at / 64] &= ~(Word{1} << (at % 64));
}

}  // namespace bytebpe
