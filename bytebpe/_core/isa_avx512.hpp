// Equals the steps of isa.hpp with AVX-512 and its byte instructions, for Ice Lake, Zen 4 and
// newer.
#pragma once

#include <immintrin.h>

#include "isa.hpp"

namespace bytebpe {

namespace avx512 {

#define BYTEBPE_AVX512 \
    __attribute__((    \
        target("avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,avx512vbmi2,avx2,bmi,bmi2,popcnt")))

BYTEBPE_AVX512 inline Word within(__m512i block, char first, char span) {
    return _mm512_cmple_epu8_mask(_mm512_sub_epi8(block, _mm512_set1_epi8(first)),
                                  _mm512_set1_epi8(span));
}

BYTEBPE_AVX512 inline Word equal(__m512i block, char byte) {
    return _mm512_cmpeq_epi8_mask(block, _mm512_set1_epi8(byte));
}

BYTEBPE_AVX512 inline void classify_ascii(const std::uint8_t* text, std::size_t words,
                                          ChunkMasks& masks) {
    for (std::size_t w = 0; w < words; ++w) {
        const __m512i block = _mm512_loadu_si512(text + 64 * w);
        const Word spaces = equal(block, ' ');
        masks.letters[w] = within(_mm512_or_si512(block, _mm512_set1_epi8(0x20)), 'a', 25);
        masks.numbers[w] = within(block, '0', 9);
        masks.whites[w] = within(block, 9, 4) | spaces;
        masks.spaces[w] = spaces;
        masks.newlines[w] = equal(block, '\r') | equal(block, '\n');
        masks.apostrophes[w] = equal(block, '\'');
        masks.beyond[w] = _mm512_movepi8_mask(block);
        masks.tails[w] = _mm512_cmplt_epi8_mask(block, _mm512_set1_epi8(-64));
    }
}

BYTEBPE_AVX512 inline void find_bytes(const std::uint8_t* text, std::size_t words, char first,
                                      char last, Word* found) {
    for (std::size_t w = 0; w < words; ++w)
        found[w] =
            within(_mm512_loadu_si512(text + 64 * w), first, static_cast<char>(last - first));
}

BYTEBPE_AVX512 inline WideMasks read_entries(const WideEntries& entries) {
    WideMasks masks;
    const __m512i groups = _mm512_set1_epi64(0x3FFFFFFF);
    for (unsigned i = 0; i < 64; i += 8) {
        const __m512i here = _mm512_load_si512(&entries.here[i]);
        const __m512i before = _mm512_load_si512(&entries.before[i]);
        masks.low |= Word{_mm512_test_epi64_mask(here, _mm512_set1_epi64(1))} << i;
        masks.high |= Word{_mm512_test_epi64_mask(here, _mm512_set1_epi64(2))} << i;
        masks.third |= Word{_mm512_test_epi64_mask(here, _mm512_set1_epi64(4))} << i;
        const __m512i shared =
            _mm512_and_si512(_mm512_srli_epi64(before, 3), _mm512_srli_epi64(here, 33));
        masks.reached |= Word{_mm512_test_epi64_mask(shared, groups)} << i;
    }
    return masks;
}

struct Count64 {
    alignas(64) std::uint8_t values[64];
};

inline constexpr Count64 count_to_64() {
    Count64 count{};
    for (unsigned i = 0; i < 64; ++i) count.values[i] = static_cast<std::uint8_t>(i);
    return count;
}

inline constexpr Count64 counted = count_to_64();

BYTEBPE_AVX512 inline std::size_t positions(const Word* mask, std::size_t words,
                                            std::uint32_t* places) {
    const __m512i all = _mm512_load_si512(counted.values);
    std::size_t count = 0;
    for (std::size_t w = 0; w < words; ++w) {
        const Word word = mask[w];
        const __m512i kept = _mm512_maskz_compress_epi8(word, all);
        const __m512i base = _mm512_set1_epi32(static_cast<int>(64 * w));
        const auto bits = static_cast<std::size_t>(_mm_popcnt_u64(word));
        std::uint32_t* to = places + count;
        const auto store = [&](std::size_t at, __m128i bytes) BYTEBPE_AVX512 {
            _mm512_storeu_si512(to + at, _mm512_add_epi32(base, _mm512_cvtepu8_epi32(bytes)));
        };
        store(0, _mm512_castsi512_si128(kept));
        if (bits > 16) {
            store(16, _mm512_extracti32x4_epi32(kept, 1));
            if (bits > 32) {
                store(32, _mm512_extracti32x4_epi32(kept, 2));
                store(48, _mm512_extracti32x4_epi32(kept, 3));
            }
        }
        count += bits;
    }
    return count;
}

BYTEBPE_AVX512 inline bool pack(const std::uint8_t* text, const std::uint32_t* places,
                                std::size_t count, Key* keys, std::uint64_t* hashes) {
    const __m512i in_lane =
        _mm512_broadcast_i32x4(_mm_set_epi8(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0));
    // Byte 4 k of the sizes to all bytes of lane k.
    const __m512i spread = _mm512_and_si512(_mm512_srli_epi32(_mm512_load_si512(counted.values), 2),
                                            _mm512_set1_epi8(0x0C));
    const __m512i even = _mm512_broadcast_i32x4(
        _mm_set_epi64x(std::int64_t{hash_factors[2]}, std::int64_t{hash_factors[0]}));
    const __m512i odd = _mm512_broadcast_i32x4(
        _mm_set_epi64x(std::int64_t{hash_factors[3]}, std::int64_t{hash_factors[1]}));
    __m128i longest = _mm_setzero_si128();
    for (std::size_t i = 0; i < count; i += 4) {
        const auto at = [&](std::size_t k) BYTEBPE_AVX512 {
            return _mm_loadu_si128(reinterpret_cast<const __m128i*>(text + places[i + k]));
        };
        __m512i bytes = _mm512_castsi128_si512(at(0));
        bytes = _mm512_inserti64x2(bytes, at(1), 1);
        bytes = _mm512_inserti64x2(bytes, at(2), 2);
        bytes = _mm512_inserti64x2(bytes, at(3), 3);
        const __m128i starts = _mm_loadu_si128(reinterpret_cast<const __m128i*>(places + i));
        const __m128i ends = _mm_loadu_si128(reinterpret_cast<const __m128i*>(places + i + 1));
        const __m128i sizes = _mm_min_epu32(_mm_sub_epi32(ends, starts), _mm_set1_epi32(255));
        longest = _mm_max_epu32(longest, sizes);
        const __m512i size = _mm512_permutexvar_epi8(spread, _mm512_castsi128_si512(sizes));
        const Word inside = _mm512_cmplt_epu8_mask(in_lane, size);
        const Word is_short = _mm512_cmple_epu8_mask(size, _mm512_set1_epi8(15));
        bytes = _mm512_maskz_mov_epi8(inside & is_short, bytes);
        bytes = _mm512_mask_mov_epi8(bytes, 0x8000800080008000U & is_short, size);
        _mm512_storeu_si512(keys + i, bytes);
        // `hash` on four keys: the halves of each lane are put together in its first.
        __m512i mixed = _mm512_xor_si512(_mm512_mul_epu32(bytes, even),
                                         _mm512_mul_epu32(_mm512_srli_epi64(bytes, 32), odd));
        mixed = _mm512_xor_si512(mixed, _mm512_shuffle_epi32(mixed, _MM_PERM_BADC));
        mixed = _mm512_xor_si512(mixed, _mm512_srli_epi64(mixed, 32));
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(hashes + i),
                            _mm512_castsi512_si256(_mm512_maskz_compress_epi64(0x55, mixed)));
    }
    return _mm_cmpgt_epi32_mask(longest, _mm_set1_epi32(15)) != 0;
}

// The six lowest bits as a byte that goes on with a character.
BYTEBPE_AVX512 inline __m512i low6(__m512i points) {
    return _mm512_or_si512(_mm512_and_si512(points, _mm512_set1_epi32(0x3F)),
                           _mm512_set1_epi32(0x80));
}

// Writes the characters `here`, the first `many`, of at most three bytes unless `any_four`.
template <bool any_four>
BYTEBPE_AVX512 inline std::uint8_t* write(__m512i points, __mmask16 here, std::size_t many,
                                          __mmask16& surrogates, std::uint8_t* to) {
    const __mmask16 two = _mm512_cmpge_epu32_mask(points, _mm512_set1_epi32(0x80));
    if (two == 0) {
        _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm512_cvtepi32_epi8(points));
        return to + many;
    }
    const __mmask16 three = _mm512_cmpge_epu32_mask(points, _mm512_set1_epi32(0x800));
    const __m512i upper = _mm512_srli_epi32(points, 6), high = _mm512_srli_epi32(points, 12);
    const __m512i last = low6(points);
    surrogates |= _mm512_cmpeq_epi32_mask(_mm512_srli_epi32(points, 11), _mm512_set1_epi32(0x1B));
    const __m512i of_two = _mm512_or_si512(_mm512_or_si512(upper, _mm512_set1_epi32(0xC0)),
                                           _mm512_slli_epi32(last, 8));
    const __m512i tails =
        _mm512_or_si512(_mm512_slli_epi32(low6(upper), 8), _mm512_slli_epi32(last, 16));
    const __m512i of_three = _mm512_or_si512(_mm512_or_si512(high, _mm512_set1_epi32(0xE0)), tails);
    __m512i bytes = _mm512_mask_mov_epi32(points, two, of_two);
    bytes = _mm512_mask_mov_epi32(bytes, three, of_three);
    // The bytes of each lane that are written.
    __m512i kept = _mm512_maskz_set1_epi32(here, 0xFF);
    kept = _mm512_mask_mov_epi32(kept, two, _mm512_set1_epi32(0xFFFF));
    kept = _mm512_mask_mov_epi32(kept, three, _mm512_set1_epi32(0xFFFFFF));
    if constexpr (any_four) {
        const __mmask16 four = _mm512_cmpge_epu32_mask(points, _mm512_set1_epi32(0x10000));
        const __m512i first =
            _mm512_or_si512(_mm512_srli_epi32(points, 18), _mm512_set1_epi32(0xF0));
        const __m512i of_four = _mm512_or_si512(
            _mm512_or_si512(first, _mm512_slli_epi32(low6(high), 8)), _mm512_slli_epi32(tails, 8));
        bytes = _mm512_mask_mov_epi32(bytes, four, of_four);
        kept = _mm512_mask_mov_epi32(kept, four, _mm512_set1_epi32(-1));
    }
    const Word written = _mm512_movepi8_mask(kept);
    _mm512_storeu_si512(to, _mm512_maskz_compress_epi8(written, bytes));
    return to + _mm_popcnt_u64(written);
}

BYTEBPE_AVX512 inline std::uint8_t* to_utf8(const std::uint16_t* units, std::size_t count,
                                            std::uint8_t* to) {
    __mmask16 surrogates = 0;
    for (std::size_t i = 0; i < count; i += 16) {
        const std::size_t many = count - i < 16 ? count - i : 16;
        const auto here = static_cast<__mmask16>((1U << many) - 1);
        const __m512i points = _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(here, units + i));
        to = write<false>(points, here, many, surrogates, to);
    }
    return surrogates != 0 ? nullptr : to;
}

BYTEBPE_AVX512 inline std::uint8_t* wide_to_utf8(const std::uint32_t* units, std::size_t count,
                                                 std::uint8_t* to) {
    __mmask16 surrogates = 0;
    for (std::size_t i = 0; i < count; i += 16) {
        const std::size_t many = count - i < 16 ? count - i : 16;
        const auto here = static_cast<__mmask16>((1U << many) - 1);
        to = write<true>(_mm512_maskz_loadu_epi32(here, units + i), here, many, surrogates, to);
    }
    return surrogates != 0 ? nullptr : to;
}

BYTEBPE_AVX512 inline std::uint32_t least(const std::uint32_t* values, std::size_t count) {
    __m512i found = _mm512_set1_epi32(-1);
    for (std::size_t i = 0; i < count; i += 16)
        found = _mm512_min_epu32(found, _mm512_loadu_si512(values + i));
    return _mm512_reduce_min_epu32(found);
}

inline constexpr Isa isa{"avx512", classify_ascii, find_bytes,   read_entries, positions,
                         pack,     to_utf8,        wide_to_utf8, least};

}  // namespace avx512

}  // namespace bytebpe
