// Equals the steps of isa.hpp in plain C++, for every machine.
#pragma once

#include <array>
#include <cstring>

#include "isa.hpp"
#include "utf8.hpp"

namespace bytebpe {

namespace portable {

enum : std::uint8_t {
    is_letter = 1,
    is_number = 2,
    is_white = 4,
    is_space = 8,
    is_newline = 16,
    is_apostrophe = 32,
    is_beyond = 64,
    is_tail = 128
};

constexpr std::array<std::uint8_t, 256> byte_classes() {
    std::array<std::uint8_t, 256> classes{};
    for (unsigned byte = 0; byte < 256; ++byte) {
        const bool upper = byte >= 'A' && byte <= 'Z', lower = byte >= 'a' && byte <= 'z';
        unsigned bits = 0;
        if (upper || lower) bits |= is_letter;
        if (byte >= '0' && byte <= '9') bits |= is_number;
        if (byte == ' ' || (byte >= 9 && byte <= 13)) bits |= is_white;
        if (byte == ' ') bits |= is_space;
        if (byte == '\r' || byte == '\n') bits |= is_newline;
        if (byte == '\'') bits |= is_apostrophe;
        if (byte >= 0x80) bits |= is_beyond;
        if (byte >= 0x80 && byte < 0xC0) bits |= is_tail;
        classes[byte] = static_cast<std::uint8_t>(bits);
    }
    return classes;
}

inline constexpr auto class_of = byte_classes();

inline void classify_ascii(const std::uint8_t* text, std::size_t words, ChunkMasks& masks) {
    for (std::size_t w = 0; w < words; ++w) {
        Word letters = 0, numbers = 0, whites = 0, spaces = 0, newlines = 0, apostrophes = 0,
             beyond = 0, tails = 0;
        for (unsigned i = 0; i < 64; ++i) {
            const Word bits = class_of[text[64 * w + i]];
            letters |= (bits & 1) << i;
            numbers |= (bits >> 1 & 1) << i;
            whites |= (bits >> 2 & 1) << i;
            spaces |= (bits >> 3 & 1) << i;
            newlines |= (bits >> 4 & 1) << i;
            apostrophes |= (bits >> 5 & 1) << i;
            beyond |= (bits >> 6 & 1) << i;
            tails |= (bits >> 7 & 1) << i;
        }
        masks.letters[w] = letters;
        masks.numbers[w] = numbers;
        masks.whites[w] = whites;
        masks.spaces[w] = spaces;
        masks.newlines[w] = newlines;
        masks.apostrophes[w] = apostrophes;
        masks.beyond[w] = beyond;
        masks.tails[w] = tails;
    }
}

inline void find_bytes(const std::uint8_t* text, std::size_t words, char first, char last,
                       Word* found) {
    for (std::size_t w = 0; w < words; ++w) {
        found[w] = 0;
        for (unsigned i = 0; i < 64; ++i) {
            const int byte = text[64 * w + i];
            found[w] |= Word{byte >= first && byte <= last} << i;
        }
    }
}

inline WideMasks read_entries(const WideEntries& entries) {
    WideMasks masks;
    for (unsigned i = 0; i < 64; ++i) {
        const CharEntry entry = entries.here[i];
        masks.low |= (entry & 1) << i;
        masks.high |= (entry >> 1 & 1) << i;
        masks.third |= (entry >> 2 & 1) << i;
        masks.reached |= Word{reaches(entries.before[i], entry)} << i;
    }
    return masks;
}

inline std::size_t positions(const Word* mask, std::size_t words, std::uint32_t* places) {
    std::size_t count = 0;
    for (std::size_t w = 0; w < words; ++w)
        for (Word word = mask[w]; word != 0; word &= word - 1)
            places[count++] = static_cast<std::uint32_t>(64 * w) + lowest_bit(word);
    return count;
}

inline bool pack(const std::uint8_t* text, const std::uint32_t* places, std::size_t count,
                 Key* keys, std::uint64_t* hashes) {
    bool any_long = false;
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint32_t size = places[i + 1] - places[i];
        Key key;
        if (size <= 15) {
            std::uint8_t bytes[16] = {};
            std::memcpy(bytes, text + places[i], size);
            bytes[15] = static_cast<std::uint8_t>(size);
            std::memcpy(&key, bytes, 16);
        }
        any_long |= size > 15;
        keys[i] = key;
        hashes[i] = hash(key);
    }
    return any_long;
}

inline std::uint8_t* to_utf8(const std::uint16_t* units, std::size_t count, std::uint8_t* to) {
    return encode_utf8(units, count, to);
}

inline std::uint8_t* wide_to_utf8(const std::uint32_t* units, std::size_t count, std::uint8_t* to) {
    return encode_utf8(units, count, to);
}

inline std::uint32_t least(const std::uint32_t* values, std::size_t count) {
    std::uint32_t found = values[0];
    for (std::size_t i = 1; i < count; ++i) found = values[i] < found ? values[i] : found;
    return found;
}

inline constexpr Isa isa{"portable", classify_ascii, find_bytes,   read_entries, positions,
                         pack,       to_utf8,        wide_to_utf8, least};

}  // namespace portable

}  // namespace bytebpe
