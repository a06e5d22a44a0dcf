// Equals the classes \p{..} and \s of the patterns in bytebpe/patterns.py, and says where
// no merge can reach from one character to the next, which changes no id.
//
// A merge makes a token of the vocabulary.  So a place between two characters that lies inside
// no token, whatever stands left and right of it, is never crossed, and the piece may be cut
// there before it is merged.  In Chinese that turns pieces of a dozen bytes, most of them seen
// once, into pieces of three or four bytes, which a cache can hold.
//
// Every place inside a token before the first byte of a character is a context: what the token
// holds of the character before it and of the one after, whole or in part.  The parts on the
// right are put into groups, which are bits: a character has as `left` the groups of all contexts
// whose left part it may be, and as `right` the groups of all right parts it begins with.  Where
// the two share no bit there is no context.  That they may share one for nothing costs a cut.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "utf8.hpp"

namespace bytebpe {

// The classes that the named patterns tell apart.  All letters are `letter` to those that do not
// look at their case; else that is a small one, and `caseless` may stand for either.
enum CharClass : std::uint8_t {
    other = 0,
    letter = 1,
    number = 2,
    white = 3,
    capital = 4,
    caseless = 5,
    mark = 6
};

// The class for patterns that do not look at the case of letters.
inline CharClass without_case(CharClass kind) {
    return kind == capital || kind == caseless ? letter : kind == mark ? other : kind;
}

// Three bits of class, 30 of `left` and 30 of `right`.
using CharEntry = std::uint64_t;

// Whether a context may be that ends with the one character and begins with the other.
inline bool reaches(CharEntry before, CharEntry here) {
    return (before >> 3 & here >> 33 & 0x3FFFFFFF) != 0;
}

// The code points from `first` up to `last`, which has it too, of one class.
struct ClassRange {
    std::uint32_t first, last;
    CharClass kind;
};

class CharTable {
public:
    // Of these classes, the rest being `other`; with no cuts at all.
    explicit CharTable(const std::vector<ClassRange>& ranges)
        : narrow_(narrow_size, no_cuts), rows_(row_size, no_cuts) {
        for (const ClassRange& range : ranges)
            change(range.first, range.last,
                   [&](CharEntry entry) { return entry | CharEntry{range.kind}; });
    }

    // With the cuts that a vocabulary of these tokens allows.
    void cut_for(const std::vector<std::string_view>& tokens) {
        std::map<std::string_view, std::vector<std::string_view>> lefts_of;  // for each right part
        for (const std::string_view token : tokens)
            for (std::size_t at = 1; at < token.size(); ++at)
                if (const std::string_view left = left_part(token, at); !left.empty())
                    if (const std::string_view right = right_part(token, at); !right.empty())
                        lefts_of[right].push_back(left);
        std::vector<std::pair<std::string_view, std::vector<std::string_view>>> ordered(
            lefts_of.begin(), lefts_of.end());
        std::stable_sort(ordered.begin(), ordered.end(), [](const auto& a, const auto& b) {
            return a.second.size() > b.second.size();
        });
        for (CharEntry& entry : narrow_) entry &= kind_mask;
        for (CharEntry& entry : rows_) entry &= kind_mask;
        std::array<CharEntry, 64> by_last{};  // what contexts add that begin inside a character
        for (std::size_t i = 0; i < ordered.size(); ++i) {
            // The most frequent right parts have a group to themselves.
            const std::size_t group = i < groups / 2 ? i : groups / 2 + i % (groups - groups / 2);
            const CharEntry right = CharEntry{1} << (right_shift + group);
            const CharEntry left = CharEntry{1} << (left_shift + group);
            const auto [first, last] = points_of(ordered[i].first);
            change(first, last, [&](CharEntry entry) { return entry | right; });
            for (const std::string_view part : ordered[i].second) {
                if (continues(byte(part, 0))) {
                    by_last[byte(part, part.size() - 1) & 0x3F] |= left;
                } else {
                    const std::uint32_t point = points_of(part).first;
                    change(point, point, [&](CharEntry entry) { return entry | left; });
                }
            }
        }
        for (std::size_t at = 0; at < narrow_size; ++at) narrow_[at] |= by_last[at & 0x3F];
        for (std::size_t at = 0; at < rows_.size(); ++at) rows_[at] |= by_last[at & 0x3F];
    }

    // The entries of the code points below 0x10000.
    const CharEntry* narrow() const { return narrow_.data(); }

    CharClass kind(std::uint32_t point) const {
        return static_cast<CharClass>((point < narrow_size ? narrow_[point] : wide(point)) &
                                      kind_mask);
    }

    // The entry of any other.
    CharEntry wide(std::uint32_t point) const { return rows_[pages_[point >> 8] + (point & 0xFF)]; }

private:
    static constexpr std::uint32_t narrow_size = 0x10000, row_size = 256;
    static constexpr std::size_t groups = 30, left_shift = 3, right_shift = left_shift + groups;
    static constexpr CharEntry kind_mask = 7, no_cuts = ~kind_mask;

    static std::uint8_t byte(std::string_view bytes, std::size_t at) {
        return static_cast<std::uint8_t>(bytes[at]);
    }

    static std::size_t size_of(std::uint8_t lead) {
        return lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 0;
    }

    // What stands before a place and may be the end of a character outside ASCII: the whole
    // character, or where the token begins inside it, its last bytes.  Else nothing.
    static std::string_view left_part(std::string_view token, std::size_t at) {
        std::size_t from = at - 1;
        while (from > 0 && continues(byte(token, from)) && at - from < 4) --from;
        const std::uint8_t first = byte(token, from);
        const bool whole = size_of(first) == at - from;
        const bool part = from == 0 && at - from < 4 && continues(first);
        return whole || part ? token.substr(from, at - from) : std::string_view();
    }

    // What stands after a place and may begin a character outside ASCII: the whole character, or
    // what the token holds of it.
    static std::string_view right_part(std::string_view token, std::size_t at) {
        const std::size_t size = size_of(byte(token, at));
        if (size == 0) return {};
        std::size_t end = at + 1;
        while (end < token.size() && end < at + size && continues(byte(token, end))) ++end;
        return end == token.size() || end == at + size ? token.substr(at, end - at)
                                                       : std::string_view();
    }

    // The code points whose UTF-8 begins with these bytes, of which the first is a lead.
    static std::pair<std::uint32_t, std::uint32_t> points_of(std::string_view bytes) {
        const std::size_t size = size_of(byte(bytes, 0));
        std::uint32_t first = byte(bytes, 0) & (0xFFU >> (size + 1)), last = first;
        for (std::size_t at = 1; at < size; ++at) {
            first = first << 6 | (at < bytes.size() ? byte(bytes, at) & 0x3FU : 0);
            last = last << 6 | (at < bytes.size() ? byte(bytes, at) & 0x3FU : 0x3F);
        }
        return {first, last};
    }

    // Changes the entries of some code points; bytes that are not UTF-8 may name higher ones.
    template <class Change>
    void change(std::uint32_t first, std::uint32_t last, const Change& to) {
        last = std::min<std::uint32_t>(last, 0x10FFFF);
        if (first > last) return;
        for (std::uint32_t point = first; point <= last && point < narrow_size; ++point)
            narrow_[point] = to(narrow_[point]);
        if (last >= narrow_size) change_wide(std::max(first, narrow_size), last, to);
    }

    // Rows that are alike stay one where they can.
    template <class Change>
    void change_wide(std::uint32_t first, std::uint32_t last, const Change& to) {
        std::map<std::uint32_t, std::uint32_t> changed;  // rows that were in full, from and to
        for (std::uint32_t page = first >> 8; page <= last >> 8; ++page) {
            const std::uint32_t from = std::max(first, page << 8) & 0xFF;
            const std::uint32_t up_to = std::min(last, (page << 8) + 0xFF) & 0xFF;
            const std::uint32_t before = pages_[page];
            std::uint32_t row = before;
            const bool whole = from == 0 && up_to == 0xFF;
            const auto found = changed.find(before);
            if (whole && found != changed.end()) {
                row = found->second;
            } else {
                if (pages_with_[before / row_size] > 1) {
                    row = static_cast<std::uint32_t>(rows_.size());
                    rows_.resize(rows_.size() + row_size);
                    std::copy_n(rows_.begin() + before, row_size, rows_.begin() + row);
                    pages_with_.push_back(0);
                }
                for (std::uint32_t i = from; i <= up_to; ++i) rows_[row + i] = to(rows_[row + i]);
                if (whole) changed[before] = row;
            }
            pages_[page] = row;
            --pages_with_[before / row_size];
            ++pages_with_[row / row_size];
        }
    }

    std::vector<CharEntry> narrow_;
    std::array<std::uint32_t, 0x1100> pages_{};  // where in `rows_` the entries of 256 points are
    std::vector<CharEntry> rows_;
    std::vector<std::uint16_t> pages_with_{0x1100};  // how many pages each row stands for
};

}  // namespace bytebpe
