// Equals the steps of isa.hpp with AVX2, for most x86 machines since 2013.
#pragma once

#include <immintrin.h>

#include "isa.hpp"
#include "utf8.hpp"

namespace bytebpe {

namespace avx2 {

#define BYTEBPE_AVX2 __attribute__((target("avx2,bmi,bmi2,popcnt")))

struct Block {
    __m256i low, high;
};

BYTEBPE_AVX2 inline Word mask_of(__m256i low, __m256i high) {
    return static_cast<Word>(static_cast<std::uint32_t>(_mm256_movemask_epi8(low))) |
           static_cast<Word>(static_cast<std::uint32_t>(_mm256_movemask_epi8(high))) << 32;
}

BYTEBPE_AVX2 inline Word equal(const Block& block, char byte) {
    const __m256i wanted = _mm256_set1_epi8(byte);
    return mask_of(_mm256_cmpeq_epi8(block.low, wanted), _mm256_cmpeq_epi8(block.high, wanted));
}

// Bytes in first .. first + span, by one unsigned comparison.
BYTEBPE_AVX2 inline Word within(const Block& block, char first, char span) {
    const __m256i from = _mm256_set1_epi8(first), most = _mm256_set1_epi8(span);
    const __m256i low = _mm256_sub_epi8(block.low, from), high = _mm256_sub_epi8(block.high, from);
    return mask_of(_mm256_cmpeq_epi8(_mm256_min_epu8(low, most), low),
                   _mm256_cmpeq_epi8(_mm256_min_epu8(high, most), high));
}

BYTEBPE_AVX2 inline void classify_ascii(const std::uint8_t* text, std::size_t words,
                                        ChunkMasks& masks) {
    const __m256i lower_case = _mm256_set1_epi8(0x20);
    for (std::size_t w = 0; w < words; ++w) {
        const auto* at = reinterpret_cast<const __m256i*>(text + 64 * w);
        const Block block{_mm256_loadu_si256(at), _mm256_loadu_si256(at + 1)};
        const Block lower{_mm256_or_si256(block.low, lower_case),
                          _mm256_or_si256(block.high, lower_case)};
        const Word spaces = equal(block, ' ');
        masks.letters[w] = within(lower, 'a', 25);
        masks.numbers[w] = within(block, '0', 9);
        masks.whites[w] = within(block, 9, 4) | spaces;
        masks.spaces[w] = spaces;
        masks.newlines[w] = equal(block, '\r') | equal(block, '\n');
        masks.apostrophes[w] = equal(block, '\'');
        masks.beyond[w] = mask_of(block.low, block.high);
        const __m256i first_lead = _mm256_set1_epi8(-64);
        masks.tails[w] = mask_of(_mm256_cmpgt_epi8(first_lead, block.low),
                                 _mm256_cmpgt_epi8(first_lead, block.high));
    }
}

BYTEBPE_AVX2 inline void find_bytes(const std::uint8_t* text, std::size_t words, char first,
                                    char last, Word* found) {
    for (std::size_t w = 0; w < words; ++w) {
        const auto* at = reinterpret_cast<const __m256i*>(text + 64 * w);
        found[w] = within({_mm256_loadu_si256(at), _mm256_loadu_si256(at + 1)}, first,
                          static_cast<char>(last - first));
    }
}

BYTEBPE_AVX2 inline WideMasks read_entries(const WideEntries& entries) {
    WideMasks masks;
    const __m256i groups = _mm256_set1_epi64x(0x3FFFFFFF);
    for (unsigned i = 0; i < 64; i += 4) {
        const __m256i here = _mm256_load_si256(reinterpret_cast<const __m256i*>(&entries.here[i]));
        const __m256i before =
            _mm256_load_si256(reinterpret_cast<const __m256i*>(&entries.before[i]));
        // The sign of each number says whether the bit moved there is set.
        const auto sign = [](__m256i numbers) BYTEBPE_AVX2 {
            return static_cast<Word>(
                static_cast<unsigned>(_mm256_movemask_pd(_mm256_castsi256_pd(numbers))));
        };
        masks.low |= sign(_mm256_slli_epi64(here, 63)) << i;
        masks.high |= sign(_mm256_slli_epi64(here, 62)) << i;
        masks.third |= sign(_mm256_slli_epi64(here, 61)) << i;
        const __m256i shared = _mm256_and_si256(
            _mm256_and_si256(_mm256_srli_epi64(before, 3), _mm256_srli_epi64(here, 33)), groups);
        masks.reached |= sign(_mm256_sub_epi64(_mm256_setzero_si256(), shared)) << i;
    }
    return masks;
}

BYTEBPE_AVX2 inline std::size_t positions(const Word* mask, std::size_t words,
                                          std::uint32_t* places) {
    std::size_t count = 0;
    for (std::size_t w = 0; w < words; ++w) {
        Word word = mask[w];
        const auto bits = static_cast<std::size_t>(_mm_popcnt_u64(word));
        // Eight at a time without asking: what is written past the count is written over.
        for (std::size_t done = 0; done < bits; done += 8)
            for (std::size_t i = 0; i < 8; ++i) {
                places[count + done + i] =
                    static_cast<std::uint32_t>(64 * w + static_cast<std::size_t>(_tzcnt_u64(word)));
                word = _blsr_u64(word);
            }
        count += bits;
    }
    return count;
}

// The keys of two pieces side by side, whose sizes stand in each byte of each half.
BYTEBPE_AVX2 inline __m256i pack_two(const std::uint8_t* first, const std::uint8_t* second,
                                     __m256i sizes) {
    const __m256i in_half = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
    const __m256i last = _mm256_set_epi64x(-0x100000000000000, 0, -0x100000000000000, 0);
    __m256i bytes =
        _mm256_castsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(first)));
    bytes = _mm256_inserti128_si256(bytes,
                                    _mm_loadu_si128(reinterpret_cast<const __m128i*>(second)), 1);
    bytes = _mm256_and_si256(bytes, _mm256_cmpgt_epi8(sizes, in_half));
    return _mm256_or_si256(bytes, _mm256_and_si256(sizes, last));
}

// `hash` on two keys, before the halves of each are put together.
BYTEBPE_AVX2 inline __m256i multiply(__m256i keys) {
    const auto factor = [](std::size_t i) { return std::int64_t{hash_factors[i]}; };
    const __m256i even = _mm256_set_epi64x(factor(2), factor(0), factor(2), factor(0));
    const __m256i odd = _mm256_set_epi64x(factor(3), factor(1), factor(3), factor(1));
    return _mm256_xor_si256(_mm256_mul_epu32(keys, even),
                            _mm256_mul_epu32(_mm256_srli_epi64(keys, 32), odd));
}

BYTEBPE_AVX2 inline bool pack(const std::uint8_t* text, const std::uint32_t* places,
                              std::size_t count, Key* keys, std::uint64_t* hashes) {
    const __m128i too_long = _mm_set1_epi32(16);
    const __m128i to_each_byte = _mm_setr_epi8(0, 0, 0, 0, 4, 4, 4, 4, 8, 8, 8, 8, 12, 12, 12, 12);
    __m128i longest = _mm_setzero_si128();
    for (std::size_t i = 0; i < count; i += 4) {
        const __m128i starts = _mm_loadu_si128(reinterpret_cast<const __m128i*>(places + i));
        const __m128i ends = _mm_loadu_si128(reinterpret_cast<const __m128i*>(places + i + 1));
        const __m128i clamped = _mm_min_epu32(_mm_sub_epi32(ends, starts), too_long);
        longest = _mm_max_epu32(longest, clamped);
        // The key of a long piece is that of one of no bytes.
        __m128i four = _mm_and_si128(clamped, _mm_cmpgt_epi32(too_long, clamped));
        four = _mm_shuffle_epi8(four, to_each_byte);
        const __m256i sizes = _mm256_castsi128_si256(four);
        const __m256i first =
            pack_two(text + places[i], text + places[i + 1],
                     _mm256_permutevar8x32_epi32(sizes, _mm256_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1)));
        const __m256i second =
            pack_two(text + places[i + 2], text + places[i + 3],
                     _mm256_permutevar8x32_epi32(sizes, _mm256_setr_epi32(2, 2, 2, 2, 3, 3, 3, 3)));
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(keys + i), first);
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(keys + i + 2), second);
        const __m256i a = multiply(first), b = multiply(second);
        __m256i mixed = _mm256_xor_si256(_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b));
        mixed = _mm256_permute4x64_epi64(mixed, 0xD8);
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(hashes + i),
                            _mm256_xor_si256(mixed, _mm256_srli_epi64(mixed, 32)));
    }
    return _mm_movemask_epi8(_mm_cmpeq_epi32(longest, too_long)) != 0;
}

// For four characters whose sizes less one are the pairs of bits of a number: the bytes that are
// written, out of four for each, and how many these are.
struct Compaction {
    alignas(16) std::uint8_t bytes[256][16];
    std::uint8_t count[256];
};

inline constexpr Compaction compaction() {
    Compaction made{};
    for (unsigned sizes = 0; sizes < 256; ++sizes) {
        unsigned count = 0;
        for (unsigned i = 0; i < 4; ++i)
            for (unsigned k = 0; k <= (sizes >> 2 * i & 3); ++k)
                made.bytes[sizes][count++] = static_cast<std::uint8_t>(4 * i + k);
        made.count[sizes] = static_cast<std::uint8_t>(count);
    }
    return made;
}

inline constexpr Compaction compact = compaction();

// The six lowest bits as a byte that goes on with a character.
BYTEBPE_AVX2 inline __m256i low6(__m256i points) {
    return _mm256_or_si256(_mm256_and_si256(points, _mm256_set1_epi32(0x3F)),
                           _mm256_set1_epi32(0x80));
}

BYTEBPE_AVX2 inline std::uint8_t* write_four(__m128i bytes, __m128i sizes, std::uint8_t* to) {
    sizes = _mm_or_si128(sizes, _mm_unpackhi_epi64(sizes, sizes));
    const auto pairs = static_cast<std::uint64_t>(_mm_cvtsi128_si64(sizes));
    const auto row = static_cast<std::uint8_t>(pairs | pairs >> 32);
    const __m128i kept = _mm_load_si128(reinterpret_cast<const __m128i*>(compact.bytes[row]));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm_shuffle_epi8(bytes, kept));
    return to + compact.count[row];
}

// Writes eight characters, of at most three bytes unless `any_four`.
template <bool any_four>
BYTEBPE_AVX2 inline std::uint8_t* write_eight(__m256i points, std::uint8_t* to) {
    const __m256i two = _mm256_cmpgt_epi32(points, _mm256_set1_epi32(0x7F));
    const __m256i three = _mm256_cmpgt_epi32(points, _mm256_set1_epi32(0x7FF));
    const __m256i last = low6(points), upper = _mm256_srli_epi32(points, 6);
    const __m256i high = _mm256_srli_epi32(points, 12);
    const __m256i of_two = _mm256_or_si256(_mm256_or_si256(upper, _mm256_set1_epi32(0xC0)),
                                           _mm256_slli_epi32(last, 8));
    const __m256i tails =
        _mm256_or_si256(_mm256_slli_epi32(low6(upper), 8), _mm256_slli_epi32(last, 16));
    const __m256i of_three = _mm256_or_si256(_mm256_or_si256(high, _mm256_set1_epi32(0xE0)), tails);
    __m256i bytes = _mm256_blendv_epi8(points, of_two, two);
    bytes = _mm256_blendv_epi8(bytes, of_three, three);
    __m256i sizes = _mm256_add_epi32(two, three);  // less one, and negative
    if constexpr (any_four) {
        const __m256i four = _mm256_cmpgt_epi32(points, _mm256_set1_epi32(0xFFFF));
        const __m256i first =
            _mm256_or_si256(_mm256_srli_epi32(points, 18), _mm256_set1_epi32(0xF0));
        const __m256i of_four = _mm256_or_si256(
            _mm256_or_si256(first, _mm256_slli_epi32(low6(high), 8)), _mm256_slli_epi32(tails, 8));
        bytes = _mm256_blendv_epi8(bytes, of_four, four);
        sizes = _mm256_add_epi32(sizes, four);
    }
    sizes = _mm256_sllv_epi32(_mm256_abs_epi32(sizes), _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6));
    to = write_four(_mm256_castsi256_si128(bytes), _mm256_castsi256_si128(sizes), to);
    return write_four(_mm256_extracti128_si256(bytes, 1), _mm256_extracti128_si256(sizes, 1), to);
}

BYTEBPE_AVX2 inline std::uint8_t* to_utf8(const std::uint16_t* units, std::size_t count,
                                          std::uint8_t* to) {
    const __m256i beyond = _mm256_set1_epi16(-128), top = _mm256_set1_epi16(-2048);
    const __m256i surrogate = _mm256_set1_epi16(-10240);
    __m256i surrogates = _mm256_setzero_si256();
    std::size_t i = 0;
    for (; i + 16 <= count; i += 16) {
        const __m256i block = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(units + i));
        const __m128i low = _mm256_castsi256_si128(block);
        const __m128i high = _mm256_extracti128_si256(block, 1);
        if (_mm256_testz_si256(block, beyond)) {
            _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm_packus_epi16(low, high));
            to += 16;
            continue;
        }
        surrogates = _mm256_or_si256(surrogates,
                                     _mm256_cmpeq_epi16(_mm256_and_si256(block, top), surrogate));
        to = write_eight<false>(_mm256_cvtepu16_epi32(low), to);
        to = write_eight<false>(_mm256_cvtepu16_epi32(high), to);
    }
    if (!_mm256_testz_si256(surrogates, surrogates)) return nullptr;
    return encode_utf8(units + i, count - i, to);
}

BYTEBPE_AVX2 inline std::uint8_t* wide_to_utf8(const std::uint32_t* units, std::size_t count,
                                               std::uint8_t* to) {
    const __m256i top = _mm256_set1_epi32(-2048), surrogate = _mm256_set1_epi32(0xD800);
    __m256i surrogates = _mm256_setzero_si256();
    std::size_t i = 0;
    for (; i + 8 <= count; i += 8) {
        const __m256i block = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(units + i));
        if (_mm256_testz_si256(block, _mm256_set1_epi32(-128))) {
            const __m128i words =
                _mm_packus_epi32(_mm256_castsi256_si128(block), _mm256_extracti128_si256(block, 1));
            _mm_storel_epi64(reinterpret_cast<__m128i*>(to), _mm_packus_epi16(words, words));
            to += 8;
            continue;
        }
        surrogates = _mm256_or_si256(surrogates,
                                     _mm256_cmpeq_epi32(_mm256_and_si256(block, top), surrogate));
        to = _mm256_testz_si256(block, _mm256_set1_epi32(-0x10000)) ? write_eight<false>(block, to)
                                                                    : write_eight<true>(block, to);
    }
    if (!_mm256_testz_si256(surrogates, surrogates)) return nullptr;
    return encode_utf8(units + i, count - i, to);
}

BYTEBPE_AVX2 inline std::uint32_t least(const std::uint32_t* values, std::size_t count) {
    __m256i found = _mm256_set1_epi32(-1);
    for (std::size_t i = 0; i < count; i += 8)
        found = _mm256_min_epu32(found,
                                 _mm256_loadu_si256(reinterpret_cast<const __m256i*>(values + i)));
    __m128i half = _mm_min_epu32(_mm256_castsi256_si128(found), _mm256_extracti128_si256(found, 1));
    half = _mm_min_epu32(half, _mm_shuffle_epi32(half, 0x4E));
    half = _mm_min_epu32(half, _mm_shuffle_epi32(half, 0xB1));
    return static_cast<std::uint32_t>(_mm_cvtsi128_si32(half));
}

inline constexpr Isa isa{"avx2", classify_ascii, find_bytes,   read_entries, positions,
                         pack,   to_utf8,        wide_to_utf8, least};

}  // namespace avx2

}  // namespace bytebpe
