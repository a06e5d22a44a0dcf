// Equals `split` of bytebpe/dfa_read.py on whole texts, two stretches at a time.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "dfa.hpp"

namespace bytebpe {

class DfaScanner : public Dfa {
public:
    using Dfa::Dfa;

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
    static constexpr std::size_t stretch = 512;  // bytes that a reader reads at a time

    // What two readers may have read of a piece before: all ends found again must have room.
    static constexpr std::size_t most_read = 56;

    struct Text {
        const std::uint8_t* text;
        std::size_t size;
        std::size_t limit;  // what is read by `joined` ends here
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

    // Reads two ASCII characters as `read_one` reads one.
    BYTEBPE_INLINE void read_two(const Text& in, const Reader& reader, Cursor& now) const {
        const std::uint32_t entry = joined(now.state, in.text[now.at], in.text[now.at + 1]);
        if (entry & leaves) {
            read_one<true>(in, reader, now);
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
    BYTEBPE_INLINE void read_one(const Text& in, const Reader& reader, Cursor& now) const {
        const Character character =
            ascii ? read_ascii(in.text[now.at]) : read(in.text, now.at, in.size);
        const std::uint32_t entry = joined(now.state, character);
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
        while (now.at < stop && now.to < full) read_one(in, reader, now);
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
        if (ascii && has_pairs())
            while (one.at + 1 < stop && two.at + 1 < second_stop) {
                read_two(in, first, one);
                read_two(in, second, two);
            }
        while (one.at < stop && two.at < second_stop) {
            read_one<ascii>(in, first, one);
            read_one<ascii>(in, second, two);
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
            read_one(in, first, first.now);
        }
    }
};

}  // namespace bytebpe
