// Equals itself on every machine: the steps that wide instructions make faster, chosen at run time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "char_table.hpp"
#include "chunk_masks.hpp"

namespace bytebpe {

// A piece of at most 15 bytes with its length in the last byte; 0 stands for a longer one.
struct alignas(16) Key {
    std::uint64_t low = 0;
    std::uint64_t high = 0;
    bool operator==(const Key& other) const { return low == other.low && high == other.high; }
    bool is_long() const { return high == 0; }
};

// The entries of the characters outside ASCII around one word: `here` where they begin, `before`
// where they end.  What other places hold means nothing.
struct WideEntries {
    alignas(64) std::array<CharEntry, 64> here{};
    alignas(64) std::array<CharEntry, 68> before{};
};

// A bit for each place: the three of the class, and whether a context may reach across.
struct WideMasks {
    Word low = 0, high = 0, third = 0, reached = 0;
};

// Each step gives the same result on every tier.
struct Isa {
    const char* name;
    // The masks of the ASCII bytes of `words` blocks of 64 bytes; of the others only `beyond`, and
    // `tails` for those from 80 to BF.
    void (*classify_ascii)(const std::uint8_t* text, std::size_t words, ChunkMasks& masks);
    // The bytes from `first` up to `last`, which has it too, in `words` blocks of 64 bytes.
    void (*find_bytes)(const std::uint8_t* text, std::size_t words, char first, char last,
                       Word* found);
    // Reads the entries of all 64 places.
    WideMasks (*read_entries)(const WideEntries& entries);
    // The places of the bits set, ascending; there must be room for 64 more than there are.
    std::size_t (*positions)(const Word* mask, std::size_t words, std::uint32_t* places);
    // The keys of the pieces between `count` + 1 places, and their hashes; 16 bytes must be
    // readable at each place, at least 4 more places must be there, and room for a multiple of 4.
    // Returns whether any of the pieces is too long for a key.
    bool (*pack)(const std::uint8_t* text, const std::uint32_t* places, std::size_t count,
                 Key* keys, std::uint64_t* hashes);
    // Writes code points as UTF-8 and returns the end; nothing where one is a surrogate.  There
    // must be room for three bytes each, of the wide ones four, and for 64 more.
    std::uint8_t* (*to_utf8)(const std::uint16_t* units, std::size_t count, std::uint8_t* to);
    std::uint8_t* (*wide_to_utf8)(const std::uint32_t* units, std::size_t count, std::uint8_t* to);
    // The least of `count` values, of which there must be room for a multiple of 16.
    std::uint32_t (*least)(const std::uint32_t* values, std::size_t count);
};

// Odd numbers for the four parts of a key.
inline constexpr std::array<std::uint32_t, 4> hash_factors{0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D,
                                                           0x27D4EB2F};

// The hash of a key, the same on every tier: products of 32 bits, which wide instructions have.
inline std::uint64_t hash(const Key& key) {
    const auto part = [](std::uint64_t bits, std::size_t i) { return bits * hash_factors[i]; };
    const std::uint64_t mixed = part(key.low & UINT32_MAX, 0) ^ part(key.low >> 32, 1) ^
                                part(key.high & UINT32_MAX, 2) ^ part(key.high >> 32, 3);
    return mixed ^ mixed >> 32;
}

// The best tier of this machine, or the one named by the environment variable BYTEBPE_ISA
// ("portable", "avx2", "avx512") if the machine has it.
const Isa& best_isa();

// The names of the tiers that this machine can run, best first.
std::vector<std::string> runnable_isas();

}  // namespace bytebpe
