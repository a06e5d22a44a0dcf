// Equals `Dfa` of bytebpe/dfa_read.py: an automaton that knows where pieces end.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#if defined(__GNUC__)
#define BYTEBPE_INLINE __attribute__((always_inline)) inline
#define BYTEBPE_NOINLINE __attribute__((noinline))
#else
#define BYTEBPE_INLINE inline
#define BYTEBPE_NOINLINE
#endif

namespace bytebpe {

// Reads UTF-8.  A byte that is not part of valid UTF-8 is a character of its own, the lone
// surrogate that Python's `surrogateescape` makes of it.
class Dfa {
public:
    // The tables are those of `Dfa`.
    Dfa(std::vector<std::uint16_t> pages, std::vector<std::uint8_t> classes,
        const std::vector<std::uint16_t>& transitions, std::size_t width)
        : pages_(std::move(pages)), classes_(std::move(classes)), width_(width) {
        check(transitions);
        for (std::size_t point = 0; point < low_.size(); ++point) low_[point] = look_up(point);
        for (const std::size_t entry : transitions)
            rows_.push_back(static_cast<std::uint32_t>(entry / 2 * width_ * 8 + entry % 2));
        for (std::size_t at = 0; at < rows_.size(); ++at) joined_.push_back(join(at));
        join_pairs();
    }

    // Where the piece that begins at byte `at` ends, in a text of `size` bytes; at < size.
    std::size_t piece_end(const std::uint8_t* text, std::size_t at, std::size_t size) const {
        const std::size_t end = match_end(text, at, size, start(), at);
        return end == at ? gap_end(text, at, size) : end;
    }

    static constexpr std::uint32_t dead = 0;
    static constexpr std::size_t none = SIZE_MAX;  // no match

    // What reading a character does; a reader that begins a match is in the state `start`.
    struct Step {
        std::uint32_t state;
        bool accepts;      // a match may end before the character
        std::size_t size;  // of the character in bytes
    };

    std::uint32_t start() const { return static_cast<std::uint32_t>(width_); }

    // The step at a byte that is there and, if a line feed, does not end the text.
    Step step(const std::uint8_t* text, std::size_t at, std::size_t size,
              std::uint32_t state) const {
        const Character character = read(text, at, size);
        const std::uint32_t entry = rows_[state + character.column];
        return {entry / 8, (entry & accepts) != 0, character.size};
    }

    // Where the character ends that begins at a byte that is there.
    std::size_t after(const std::uint8_t* text, std::size_t at, std::size_t size) const {
        return at + read(text, at, size).size;
    }

    // Reads on from a state to the end of the text; returns where the last match ends, `end` if
    // none does.
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

protected:
    struct Character {
        std::size_t column;
        std::size_t size;  // in bytes
    };

    // An entry is the offset of the next row times eight, and these.
    static constexpr std::uint32_t accepts = 1;  // a match may end before the character
    static constexpr std::uint32_t cuts = 2;     // one does, and the next has read the character
    static constexpr std::uint32_t leaves = 4;   // the match ended further back, if there is one

    // Of two characters at once: what an entry says of each, and `leaves` if either does.
    static constexpr std::uint32_t second_accepts = 2, first_cuts = 8, second_cuts = 16;
    static constexpr unsigned pair_bits = 5;  // below the offset of the next row

    // What reading a character does, where the next match begins at once, or `leaves`.
    std::uint32_t joined(std::uint32_t state, const Character& character) const {
        return joined_[state + character.column];
    }

    // The same of two ASCII characters, if there are such entries.
    std::uint32_t joined(std::uint32_t state, std::uint8_t first, std::uint8_t second) const {
        return pairs_[(std::size_t{state} << pair_shift_) + ascii_[first] * ascii_classes_ +
                      ascii_[second]];
    }

    bool has_pairs() const { return !pairs_.empty(); }

    Character read_ascii(std::uint8_t byte) const { return {low_[byte], 1}; }

    // Where a match begins, at the latest the end, after `at`, where none does.
    std::size_t gap_end(const std::uint8_t* text, std::size_t at, std::size_t size) const {
        do {
            at += read(text, at, size).size;
        } while (at < size && match_end(text, at, size, start(), at) == at);
        return at;
    }

    // The character at a byte, which must be there.
    Character read(const std::uint8_t* text, std::size_t at, std::size_t size) const {
        const std::size_t first = text[at];
        if (first < 0x80) return {low_[first], 1};
        // Three bytes, none of the forms that `read_long` has to look at twice.
        if (size - at > 2 && first >> 4 == 0xE && first != 0xE0 && first != 0xED &&
            text[at + 1] >> 6 == 2 && text[at + 2] >> 6 == 2)
            return {look_up((first & 0xF) << 12 | (text[at + 1] & std::size_t{0x3F}) << 6 |
                            (text[at + 2] & std::size_t{0x3F})),
                    3};
        return read_long(text, at, size);
    }

    BYTEBPE_NOINLINE Character read_long(const std::uint8_t* text, std::size_t at,
                                         std::size_t size) const {
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

private:
    static constexpr std::size_t most_pairs = std::size_t{1} << 16;  // entries, or there are none

    // The entry of `joined_`, where no row is dead: the next match begins at once, or the
    // reader leaves.
    std::uint32_t join(std::size_t at) const {
        const std::uint32_t entry = rows_[at];
        if (entry / 8 != dead) return entry;
        const std::uint32_t next = rows_[start() + at % width_];
        return entry & accepts && next / 8 != dead ? next | accepts | cuts : leaves;
    }

    // Makes the entries of two ASCII characters at once, by the classes that such have.
    void join_pairs() {
        std::vector<std::size_t> columns;
        for (std::size_t byte = 0; byte < ascii_.size(); ++byte) {
            const auto found = std::find(columns.begin(), columns.end(), low_[byte]);
            ascii_[byte] = static_cast<std::uint8_t>(found - columns.begin());
            if (found == columns.end()) columns.push_back(low_[byte]);
        }
        ascii_classes_ = columns.size();
        while (width_ << pair_shift_ < columns.size() * columns.size()) ++pair_shift_;
        if (joined_.size() << pair_shift_ > most_pairs) return;
        pairs_.resize(joined_.size() << pair_shift_);
        for (std::size_t row = 0; row < joined_.size(); row += width_)
            for (std::size_t first = 0; first < columns.size(); ++first)
                for (std::size_t second = 0; second < columns.size(); ++second)
                    pairs_[(row << pair_shift_) + first * columns.size() + second] =
                        join_pair(row, columns[first], columns[second]);
    }

    std::uint32_t join_pair(std::size_t row, std::size_t first, std::size_t second) const {
        const std::uint32_t one = joined_[row + first];
        if (one & leaves) return leaves;
        const std::uint32_t two = joined_[one / 8 + second];
        if (two & leaves) return leaves;
        return two / 8 << pair_bits | (one & accepts) | (two & accepts) * second_accepts |
               (one / cuts & 1) * first_cuts | (two / cuts & 1) * second_cuts;
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
    std::array<std::uint8_t, 128> ascii_{};  // the classes of ASCII characters, numbered anew
    std::size_t ascii_classes_ = 0;
    unsigned pair_shift_ = 0;  // from the offset of a row in `joined_` to that in `pairs_`
    std::vector<std::uint32_t> pairs_;
};

}  // namespace bytebpe
