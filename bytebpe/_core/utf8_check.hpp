// Equals `bytes.decode` of Python in what it takes for UTF-8.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "text_span.hpp"

namespace bytebpe {

inline bool is_utf8(Span span) {
    const std::uint8_t* text = span.text;
    const auto tail = [&](std::size_t at, std::uint8_t least = 0x80, std::uint8_t most = 0xBF) {
        return at < span.size && text[at] >= least && text[at] <= most;
    };
    for (std::size_t at = 0; at < span.size;) {
        std::uint64_t word;
        if (at + sizeof word <= span.size) {
            std::memcpy(&word, text + at, sizeof word);
            if ((word & 0x8080808080808080U) == 0) {
                at += sizeof word;
                continue;
            }
        }
        const std::uint8_t lead = text[at];
        // The bounds keep out overlong forms, surrogates, and what is beyond U+10FFFF.
        if (lead < 0x80) {
            at += 1;
        } else if (lead >= 0xC2 && lead <= 0xDF) {
            if (!tail(at + 1)) return false;
            at += 2;
        } else if (lead >= 0xE0 && lead <= 0xEF) {
            if (!tail(at + 1, lead == 0xE0 ? 0xA0 : 0x80, lead == 0xED ? 0x9F : 0xBF) ||
                !tail(at + 2))
                return false;
            at += 3;
        } else if (lead >= 0xF0 && lead <= 0xF4) {
            if (!tail(at + 1, lead == 0xF0 ? 0x90 : 0x80, lead == 0xF4 ? 0x8F : 0xBF) ||
                !tail(at + 2) || !tail(at + 3))
                return false;
            at += 4;
        } else {
            return false;
        }
    }
    return true;
}

}  // namespace bytebpe
