// Equals `split` of bytebpe/dfa.py: the bytes of a text to its pieces, by an automaton.
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

    // Calls sink(begin, end) for each piece of a text, in order.
    //
    // Each step of an automaton waits for the one before.  So two stretches are read side by side,
    // the second from a guess where a piece starts.  What follows a start depends on nothing before
    // it: where the first reader comes to any start of the second, it may go on as the second.
    template <class Sink>
    void scan(const std::uint8_t* text, std::size_t size, Sink&& sink) const {
        // A line feed that ends the text is left to `settle`.
        const Text whole{text, size, size - (size > 0 && text[size - 1] == '\n')};
        Reader one, two;
        Reader *first = &one, *second = &two;
        first->restart(0, start());
        std::size_t alone = 0;  // up to here no second reader is of use
        while (first->first < size) {
            const std::size_t at = first->now.at;
            const std::size_t left = whole.limit - std::min(whole.limit, at);
            if (left == 0) {
                first->now = settle(whole, *first, first->now);
            } else if (left < 2 * stretch || at < alone ||
                       at - first->begin(first->now) > most_read) {
                read_to(whole, at + std::min(left, stretch), *first);
            } else {
                std::size_t middle = at + stretch;
                for (int i = 0; i < 3 && text[middle] >> 6 == 2; ++i) --middle;
                second->restart(middle, start());
                read_both(whole, middle, *first, middle + stretch, *second);
                first->hand_over(sink);
                if (meet(whole, *first, *second))
                    std::swap(first, second);
                else
                    alone = first->now.at + 16 * stretch;
                second->hand_over(sink);
            }
            first->hand_over(sink);
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

    // Of two characters at once: what an entry says of each, and `leaves` if either does.
    static constexpr std::uint32_t second_accepts = 2, first_cuts = 8, second_cuts = 16;
    static constexpr unsigned pair_bits = 5;  // below the offset of the next row

    static constexpr std::size_t most_pairs = std::size_t{1} << 16;  // entries, or there are none

    static constexpr std::size_t stretch = 512;  // bytes that a reader reads at a time

    // What two readers may have read of a piece before: all ends found again must have room.
    static constexpr std::size_t most_read = 56;

    struct Text {
        const std::uint8_t* text;
        std::size_t size;
        std::size_t limit;  // what is read by `joined_` ends here
    };

    // Where a reader stands: where the last match of the piece so far ended, and where the end of
    // the piece is to be written.  In this order, since compilers put equal neighbours into one
    // wide register, which makes each step twice as slow.
    struct Cursor {
        std::size_t at;
        std::uint32_t state;
        std::size_t end;
        std::size_t* to;
    };

    struct Reader {
        std::array<std::size_t, stretch + most_read + 8>
            ends;                         // of pieces, up to where the cursor writes
        std::size_t* next = ends.data();  // the end of the first piece not handed over
        std::size_t first = 0;            // where that piece begins
        Cursor now{0, 0, 0, ends.data()};

        void restart(std::size_t place, std::uint32_t start) {
            next = ends.data();
            first = place;
            now = {place, start, place, next};
        }

        // Where the piece that is being read begins.
        std::size_t begin(const Cursor& cursor) const {
            return cursor.to == next ? first : cursor.to[-1];
        }

        template <class Sink>
        void hand_over(Sink& sink) {
            for (; next < now.to; ++next) {
                sink(first, *next);
                first = *next;
            }
            next = now.to = ends.data();
        }
    };

    // The entry of `joined_`, where no row is dead: the next match begins at once, or `scan`
    // leaves.
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

    // Reads two ASCII characters as `step` reads one.
    BYTEBPE_INLINE void step_twice(const Text& in, const Reader& reader, Cursor& now) const {
        const std::size_t first = ascii_[in.text[now.at]], second = ascii_[in.text[now.at + 1]];
        const std::uint32_t entry =
            pairs_[(std::size_t{now.state} << pair_shift_) + first * ascii_classes_ + second];
        if (entry & leaves) {
            step<true>(in, reader, now);
            return;
        }
        *now.to = now.at;
        now.to += entry / first_cuts & 1;
        *now.to = now.at + 1;
        now.to += entry / second_cuts & 1;
        now.end = entry & accepts ? now.at : now.end;
        now.end = entry & second_accepts ? now.at + 1 : now.end;
        now.state = entry >> pair_bits;
        now.at += 2;
    }

    // Reads a character, or ends the piece.  Almost every piece ends where it is seen to end, at
    // the first character of the next.  So each place is written down, and kept or not, without a
    // branch.
    template <bool ascii = false>
    BYTEBPE_INLINE void step(const Text& in, const Reader& reader, Cursor& now) const {
        const Character character =
            ascii ? Character{low_[in.text[now.at]], 1} : read(in.text, now.at, in.size);
        const std::uint32_t entry = joined_[now.state + character.column];
        if (entry & leaves) {
            now = settle(in, reader, now);
            return;
        }
        *now.to = now.at;
        now.to += entry / cuts & 1;
        now.end = entry & accepts ? now.at : now.end;
        now.state = entry / 8;
        now.at += character.size;
    }

    // Ends the piece that is being read.
    BYTEBPE_NOINLINE Cursor settle(const Text& in, const Reader& reader, Cursor now) const {
        const std::size_t begin = reader.begin(now);
        std::size_t end = match_end(in.text, now.at, in.size, now.state, now.end);
        if (end == begin) end = gap_end(in.text, end, in.size);
        *now.to = end;
        return {end, start(), end, now.to + 1};
    }

    // Reads on up to a place, or until there is no more room for ends of pieces.
    void read_to(const Text& in, std::size_t stop, Reader& reader) const {
        Cursor now = reader.now;
        const std::size_t* full = reader.ends.data() + reader.ends.size();
        while (now.at < stop && now.to < full) step(in, reader, now);
        reader.now = now;
    }

    // Whether both stretches are ASCII: then a step is short, and calls nothing.
    static bool is_ascii(const std::uint8_t* text, std::size_t size) {
        std::uint8_t all = 0;
        for (std::size_t at = 0; at < size; ++at) all |= text[at];
        return all < 0x80;
    }

    void read_both(const Text& in, std::size_t stop, Reader& first, std::size_t second_stop,
                   Reader& second) const {
        if (is_ascii(in.text + first.now.at, second_stop - first.now.at))
            read_side_by_side<true>(in, stop, first, second_stop, second);
        else
            read_side_by_side<false>(in, stop, first, second_stop, second);
        read_to(in, stop, first);
        read_to(in, second_stop, second);
    }

    template <bool ascii>
    BYTEBPE_NOINLINE void read_side_by_side(const Text& in, std::size_t stop, Reader& first,
                                            std::size_t second_stop, Reader& second) const {
        Cursor one = first.now, two = second.now;
        if (ascii && !pairs_.empty())
            while (one.at + 1 < stop && two.at + 1 < second_stop) {
                step_twice(in, first, one);
                step_twice(in, second, two);
            }
        while (one.at < stop && two.at < second_stop) {
            step<ascii>(in, first, one);
            step<ascii>(in, second, two);
        }
        first.now = one;
        second.now = two;
    }

    // Lets the first reader read on to a place where a piece of the second starts, too, and the
    // second hand over from there on; false where it has read all that the second has.
    bool meet(const Text& in, Reader& first, Reader& second) const {
        while (true) {
            const std::size_t begin = first.begin(first.now);
            while (second.first < begin && second.next < second.now.to)
                second.first = *second.next++;
            if (second.first == begin) return true;
            const bool full = first.now.to == first.ends.data() + first.ends.size();
            if (second.first < begin || first.now.at >= second.now.at || full) {
                second.now.to = second.next;
                return false;
            }
            step(in, first, first.now);
        }
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
