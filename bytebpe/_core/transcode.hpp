// Equals `str.encode` of Python to UTF-8.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "buffer.hpp"
#include "isa.hpp"
#include "text_span.hpp"
#include "utf8.hpp"

namespace bytebpe {

// The UTF-8 of a text, which is written behind what the buffer holds where need be; nothing where
// there is none.
inline std::optional<Span> utf8_of(const CodePoints& text, const Isa& isa,
                                   Buffer<std::uint8_t>& room) {
    if (text.width == 0) return Span{static_cast<const std::uint8_t*>(text.units), text.count};
    const std::size_t most = text.width == 1 ? 2 : text.width == 2 ? 3 : 4;
    std::uint8_t* start = room.end_with_room(most * text.count + 64);
    std::uint8_t* end = nullptr;
    if (text.width == 1)
        end = encode_utf8(static_cast<const std::uint8_t*>(text.units), text.count, start);
    else if (text.width == 2)
        end = isa.to_utf8(static_cast<const std::uint16_t*>(text.units), text.count, start);
    else
        end = isa.wide_to_utf8(static_cast<const std::uint32_t*>(text.units), text.count, start);
    if (end == nullptr) return {};
    return Span{start, static_cast<std::size_t>(end - start)};
}

}  // namespace bytebpe
