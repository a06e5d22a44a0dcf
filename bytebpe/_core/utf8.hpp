// Equals the UTF-8 codec of Python on text that is UTF-8: a str, or bytes that were checked.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bytebpe {

struct Character {
    std::uint32_t point;
    std::uint32_t size;  // in bytes
};

// The character at `at`.  All its bytes must be there.
inline Character decode(const std::uint8_t* at) {
    const std::uint32_t lead = at[0];
    if (lead < 0x80) return {lead, 1};
    const auto tail = [at](std::size_t i) { return static_cast<std::uint32_t>(at[i] & 0x3F); };
    if (lead < 0xE0) return {(lead & 0x1F) << 6 | tail(1), 2};
    if (lead < 0xF0) return {(lead & 0x0F) << 12 | tail(1) << 6 | tail(2), 3};
    return {(lead & 0x07) << 18 | tail(1) << 12 | tail(2) << 6 | tail(3), 4};
}

// Writes code points as UTF-8, at most two bytes for a unit of one byte, three for one of two and
// four for one of four; returns the end, nothing where UTF-8 cannot write one.
template <class Unit>
std::uint8_t* encode_utf8(const Unit* units, std::size_t count, std::uint8_t* to) {
    const auto put = [&to](std::uint32_t bits) { *to++ = static_cast<std::uint8_t>(bits); };
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint32_t point = units[i];
        if (point < 0x80) {
            put(point);
        } else if (point < 0x800) {
            put(0xC0 | point >> 6);
            put(0x80 | (point & 0x3F));
        } else if (point < 0x10000) {
            if (point >> 11 == 0x1B) return nullptr;
            put(0xE0 | point >> 12);
            put(0x80 | (point >> 6 & 0x3F));
            put(0x80 | (point & 0x3F));
        } else {
            put(0xF0 | point >> 18);
            put(0x80 | (point >> 12 & 0x3F));
            put(0x80 | (point >> 6 & 0x3F));
            put(0x80 | (point & 0x3F));
        }
    }
    return to;
}

inline bool continues(std::uint8_t byte) {
    return (byte & 0xC0) == 0x80;
}

}  // namespace bytebpe
