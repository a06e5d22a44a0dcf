// Equals a str or bytes object of Python, as the core reads it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bytebpe {

// Bytes that somebody else keeps.
struct Span {
    const std::uint8_t* text;
    std::size_t size;
};

}  // namespace bytebpe
