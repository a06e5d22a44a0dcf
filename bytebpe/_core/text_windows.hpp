// Equals `split` of bytebpe/pretokenize.py on a text of any length, window by window.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "dfa_scanner.hpp"
#include "family_scanner.hpp"
#include "isa.hpp"
#include "text_span.hpp"
#include "unset_vector.hpp"
#include "utf8.hpp"

namespace bytebpe {

inline constexpr std::size_t window_bytes = 16'384;
inline constexpr std::size_t readable_behind = 64;  // bytes that may be read past a window

inline constexpr const char* piece_too_long = "a piece of 4 GiB or more";

// What a walk through windows works with; each thread has its own.
struct WindowScratch {
    ScanScratch scan;
    UnsetVector<std::uint8_t> end_of_text;  // the last bytes of a text, with room behind them

    // A copy of the end of a text with zeros behind it.
    const std::uint8_t* copy_end(const std::uint8_t* text, std::size_t size) {
        const std::size_t room = (size + 63) / 64 * 64 + readable_behind;
        if (end_of_text.size() < room) end_of_text.resize(room);
        std::memcpy(end_of_text.data(), text, size);
        std::memset(end_of_text.data() + size, 0, room - size);
        return end_of_text.data();
    }
};

// Calls sink(window, places, count, at) for the pieces of each window of a text that is UTF-8;
// `at` is where the window lies in the text.  What a scan says of the end of one window is left
// to the next.
template <class Sink>
void each_window(const FamilyScanner& scanner, Span text, const Isa& isa, WindowScratch& scratch,
                 const Sink& sink) {
    std::size_t window = window_bytes, copied = 4 * readable_behind;
    for (std::size_t at = 0; at < text.size;) {
        const std::uint8_t* start = text.text + at;
        std::size_t length = text.size - at;
        const bool at_end = length <= copied;
        if (at_end) {
            start = scratch.copy_end(start, length);
        } else {
            length = std::min(window, length - readable_behind);
            while (continues(start[length])) --length;
        }
        if (length > UINT32_MAX / 2) throw std::length_error(piece_too_long);
        const std::size_t count = scanner.scan(start, length, at_end, isa, scratch.scan);
        if (count == 0) {  // a piece as long as the window
            if (length < window) copied = text.size - at;
            window *= 4;
            continue;
        }
        sink(start, scratch.scan.places.data(), count, at);
        at += scratch.scan.places[count];
        window = window_bytes;
    }
}

// The same for any bytes, by an automaton: piece by piece, put together to windows.
template <class Sink>
void each_window(const DfaScanner& scanner, Span text, const Isa&, WindowScratch& scratch,
                 const Sink& sink) {
    UnsetVector<std::uint32_t>& places = scratch.scan.places;
    std::size_t base = 0;
    places.clear();
    const auto flush = [&](std::size_t end) {
        const std::size_t count = places.size(), length = end - base;
        if (length > UINT32_MAX) throw std::length_error(piece_too_long);
        places.resize(count + 5, static_cast<std::uint32_t>(length));
        const bool room = text.size - end >= readable_behind;
        const std::uint8_t* start = text.text + base;
        sink(room ? start : scratch.copy_end(start, length), places.data(), count, base);
        places.clear();
        base = end;
    };
    scanner.scan(text.text, text.size, [&](std::size_t begin, std::size_t end) {
        places.push_back(static_cast<std::uint32_t>(begin - base));
        if (end - base >= window_bytes) flush(end);
    });
    if (!places.empty()) flush(text.size);
}

}  // namespace bytebpe
