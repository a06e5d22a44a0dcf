// Equals the UTF-8 decoder of Python on text that is UTF-8: a str, or bytes that were checked.
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

inline bool continues(std::uint8_t byte) {
    return (byte & 0xC0) == 0x80;
}

}  // namespace bytebpe
