// Equals `split` of bytebpe/dfa.py: the bytes of a text to its pieces, by an automaton.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

namespace bytebpe {

// Reads UTF-8.  A byte that is not part of valid UTF-8 is a character of its own, the lone
// surrogate that Python's `surrogateescape` makes of it.
class DfaScanner {
public:
    // The tables are those of `Dfa`.
    DfaScanner(std::vector<std::uint16_t> pages, std::vector<std::uint8_t> classes,
               const std::vector<std::uint16_t>& transitions, std::size_t width)
        : pages_(std::move(pages)), classes_(std::move(classes)), width_(width) {
        check(transitions);
        for (std::size_t point = 0; point < low_.size(); ++point) low_[point] = look_up(point);
        for (const std::size_t entry : transitions)
            rows_.push_back(static_cast<std::uint32_t>(entry / 2 * width_ * 8 + entry % 2));
        for (std::size_t at = 0; at < rows_.size(); ++at) joined_.push_back(join(at));
    }

    // Where the piece that begins at byte `at` ends, in a text of `size` bytes; at < size.
    std::size_t piece_end(const std::uint8_t* text, std::size_t at, std::size_t size) const {
        const std::size_t end = match_end(text, at, size, start(), at);
        return end == at ? gap_end(text, at, size) : end;
    }

    // Call sink(begin, end) for each piece of a text, in order.
    template <class Sink>
    void scan(const std::uint8_t* text, std::size_t size, Sink&& sink) const {
        // A line feed that ends the text is left to `match_end`.
        const std::size_t limit = size - (size > 0 && text[size - 1] == '\n');
        std::array<std::size_t, 512> ends;
        std::size_t begin = 0, at = 0, end = 0;
        std::uint32_t state = start();
        while (begin < size) {
            // Almost every piece ends where it is seen to end, at the first character of the next.
            // So each place is written down, and kept or not, without a branch.
            const std::size_t stop = std::min(limit, at + ends.size());
            std::size_t found = 0;
            while (at < stop) {
                const Character character = read(text, at, size);
                const std::uint32_t entry = joined_[state + character.column];
                if (entry & leaves) break;
                ends[found] = at;
                found += entry / cuts & 1;
                end = entry & accepts ? at : end;
                state = entry / 8;
                at += character.size;
            }
            for (std::size_t i = 0; i < found; ++i) {
                sink(begin, ends[i]);
                begin = ends[i];
            }
            if (at < stop || at >= limit) {
                end = match_end(text, at, size, state, end);
                if (end == begin) end = gap_end(text, begin, size);
                sink(begin, end);
                begin = at = end;
                state = start();
            }
        }
    }

private:
    struct Character {
        std::size_t column;
        std::size_t size;  // in bytes
    };

    // An entry is the offset of the next row times eight, and these.
    static constexpr std::uint32_t accepts = 1;  // a match may end before the character
    static constexpr std::uint32_t cuts = 2;     // one does, and the next has read the character
    static constexpr std::uint32_t leaves = 4;   // the match ended further back, if there is one
    static constexpr std::uint32_t dead = 0;

    std::uint32_t start() const { return static_cast<std::uint32_t>(width_); }

    // The entry of `joined_`, where no row is dead: the next match begins at once, or `scan`
    // leaves.
    std::uint32_t join(std::size_t at) const {
        const std::uint32_t entry = rows_[at];
        if (entry / 8 != dead) return entry;
        const std::uint32_t next = rows_[start() + at % width_];
        return entry & accepts && next / 8 != dead ? next | accepts | cuts : leaves;
    }

    // Read on from a state; return where the last match ends, `end` if none does.
    std::size_t match_end(const std::uint8_t* text, std::size_t at, std::size_t size,
                          std::uint32_t state, std::size_t end) const {
        while (state != dead) {
            Character character{width_ - 1, 0};
            if (at < size) character = read(text, at, size);
            if (at + 1 == size && text[at] == '\n') character.column = width_ - 2;
            const std::uint32_t entry = rows_[state + character.column];
            if (entry & accepts) end = at;
            state = entry / 8;
            at += character.size;
        }
        return end;
    }

    // Where a match begins, at the latest the end, after `at`, where none does.
    std::size_t gap_end(const std::uint8_t* text, std::size_t at, std::size_t size) const {
        do {
            at += read(text, at, size).size;
        } while (at < size && match_end(text, at, size, start(), at) == at);
        return at;
    }

    // The character at a byte, which must be there.
    Character read(const std::uint8_t* text, std::size_t at, std::size_t size) const {
        if (text[at] < 0x80) return {low_[text[at]], 1};
        return read_long(text, at, size);
    }

    Character read_long(const std::uint8_t* text, std::size_t at, std::size_t size) const {
        const std::size_t first = text[at];
        const std::size_t left = size - at;
        const auto tail = [&](std::size_t i, std::size_t least = 0x80, std::size_t most = 0xBF) {
            return i < left && text[at + i] >= least && text[at + i] <= most;
        };
        const auto bits = [&](std::size_t i) { return text[at + i] & std::size_t{0x3F}; };
        // The bounds keep out overlong forms, surrogates, and what is beyond U+10FFFF.
        if (first >= 0xC2 && first <= 0xDF) {
            if (tail(1)) return {low_[(first & 0x1F) << 6 | bits(1)], 2};
        } else if (first >= 0xE0 && first <= 0xEF) {
            if (tail(1, first == 0xE0 ? 0xA0 : 0x80, first == 0xED ? 0x9F : 0xBF) && tail(2))
                return {look_up((first & 0x0F) << 12 | bits(1) << 6 | bits(2)), 3};
        } else if (first >= 0xF0 && first <= 0xF4) {
            if (tail(1, first == 0xF0 ? 0x90 : 0x80, first == 0xF4 ? 0x8F : 0xBF) && tail(2) &&
                tail(3))
                return {look_up((first & 0x07) << 18 | bits(1) << 12 | bits(2) << 6 | bits(3)), 4};
        }
        return {look_up(0xDC00 + first), 1};
    }

    std::uint8_t look_up(std::size_t point) const {
        return classes_[pages_[point >> 8] * std::size_t{256} + (point & 0xFF)];
    }

    void check(const std::vector<std::uint16_t>& transitions) const {
        const auto all_below = [](const auto& numbers, std::size_t bound) {
            return std::all_of(numbers.begin(), numbers.end(),
                               [bound](std::size_t number) { return number < bound; });
        };
        const bool fit = width_ > 2 && pages_.size() == 0x1100 &&
                         all_below(pages_, classes_.size() / 256) &&
                         all_below(classes_, width_ - 2) && transitions.size() >= 2 * width_ &&
                         transitions.size() % width_ == 0 &&
                         all_below(transitions, 2 * (transitions.size() / width_));
        if (!fit) throw std::invalid_argument("the tables of the automaton do not fit together");
    }

    std::vector<std::uint16_t> pages_;
    std::vector<std::uint8_t> classes_;
    std::size_t width_;
    std::array<std::uint8_t, 0x800> low_{};  // the classes of characters of one or two bytes
    std::vector<std::uint32_t> rows_;
    std::vector<std::uint32_t> joined_;
};

}  // namespace bytebpe
