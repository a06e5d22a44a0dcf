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

// Code points that somebody else keeps, in units of so many bytes; of 0 if they are UTF-8.
struct CodePoints {
    const void* units;
    std::size_t count;
    unsigned width;
};

}  // namespace bytebpe
