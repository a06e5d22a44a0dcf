// Equals nothing in the reference, and changes nothing: places where no merge can reach across.
//
// A merge makes a token of the vocabulary.  So a place between two characters that lies inside
// no token, whatever stands left and right of it, is never crossed, and the piece may be cut
// there before it is merged.  In Chinese that turns pieces of a dozen bytes, most of them seen
// once, into pieces of three or four bytes, which a cache can hold.
//
// Here both characters have three bytes.  Every place inside a token is recorded by what the
// token holds on its two sides, at most one character on each: a whole character or a part of
// one.  Filters answer; that they may say "perhaps" too often costs a cut, never a wrong id.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace bytebpe {

class VocabCut {
public:
    // Records every inner place of a token.
    void add(std::string_view token) {
        for (std::size_t at = 1; at < token.size(); ++at) {
            const std::size_t left = at < 3 ? at : 3;
            const std::size_t right = token.size() - at < 3 ? token.size() - at : 3;
            record(token.substr(at - left, left), token.substr(at, right));
        }
    }

    // Whether no token holds the place between two characters of three bytes each.
    bool is_cut(std::uint32_t left, std::uint32_t right) const {
        const std::uint32_t tail2 = left & 0xFFF;  // the last two bytes, and below the last
        const std::uint32_t head2 = right >> 6;    // the first two bytes, and below the first
        const bool perhaps = test(one_two_, (tail2 & 0x3F) << 10 | head2) ||
                             test(two_one_, tail2 << 4 | right >> 12) ||
                             test(two_two_, slot(tail2 << 10 | head2)) ||
                             test(whole_whole_, slot(std::uint64_t{left} << 16 | right));
        if (perhaps) return false;
        const auto holds = [](const Keys& keys, std::uint64_t key) { return keys.count(key) != 0; };
        if ((flags_[left] & whole_left) != 0 && (holds(whole_part_, key(left, right >> 12, 1)) ||
                                                 holds(whole_part_, key(left, head2, 2))))
            return false;
        if ((flags_[right] & whole_right) != 0 &&
            (holds(part_whole_, key(right, tail2 & 0x3F, 1)) ||
             holds(part_whole_, key(right, tail2, 2))))
            return false;
        return true;
    }

private:
    using Bits = std::vector<std::uint64_t>;
    using Keys = std::unordered_set<std::uint64_t>;
    enum : std::uint8_t { whole_left = 1, whole_right = 2 };

    static bool test(const Bits& bits, std::size_t at) {
        return (bits[at / 64] >> at % 64 & 1) != 0;
    }
    static void mark(Bits& bits, std::size_t at) { bits[at / 64] |= std::uint64_t{1} << at % 64; }

    // A place in a filter of 2^20 bits.
    static std::size_t slot(std::uint64_t key) {
        return static_cast<std::size_t>((key * 0x9E3779B97F4A7C15U) >> 44);
    }

    // A whole character and the nearest one or two bytes of its neighbour.
    static std::uint64_t key(std::uint32_t whole, std::uint32_t part, std::size_t bytes) {
        return std::uint64_t{whole} << 32 | part << 2 | bytes;
    }

    void record(std::string_view left, std::string_view right) {
        const auto byte = [](std::string_view bytes, std::size_t at) {
            return static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at]));
        };
        const auto is_lead = [&](std::string_view s) { return byte(s, 0) >> 4 == 0xE; };
        const auto is_tail = [&](std::string_view s, std::size_t at) {
            return byte(s, at) >> 6 == 2;
        };
        const auto whole = [&](std::string_view s) {
            return (byte(s, 0) & 0xF) << 12 | (byte(s, 1) & 0x3F) << 6 | (byte(s, 2) & 0x3F);
        };
        // Sides that cannot be of two characters of three bytes never match a place asked for.
        if (left.size() == 3 && !(is_lead(left) && is_tail(left, 1) && is_tail(left, 2))) return;
        if (left.size() < 3)
            for (std::size_t at = 0; at < left.size(); ++at)
                if (!is_tail(left, at)) return;
        if (!is_lead(right)) return;
        for (std::size_t at = 1; at < right.size(); ++at)
            if (!is_tail(right, at)) return;

        const std::uint32_t head1 = byte(right, 0) & 0xF;
        const std::uint32_t tail1 = byte(left, left.size() - 1) & 0x3F;
        const std::uint32_t head2 =
            right.size() > 1 ? head1 << 6 | (byte(right, 1) & 0x3F) : head1 << 6;
        const std::uint32_t tail2 =
            left.size() > 1 ? (byte(left, left.size() - 2) & 0x3F) << 6 | tail1 : tail1;
        if (left.size() == 3 && right.size() == 3) {
            mark(whole_whole_, slot(std::uint64_t{whole(left)} << 16 | whole(right)));
        } else if (left.size() == 3) {
            flags_[whole(left)] |= whole_left;
            whole_part_.insert(key(whole(left), right.size() == 1 ? head1 : head2, right.size()));
        } else if (right.size() == 3) {
            flags_[whole(right)] |= whole_right;
            part_whole_.insert(key(whole(right), left.size() == 1 ? tail1 : tail2, left.size()));
        } else if (left.size() == 1 && right.size() == 1) {
            for (std::uint32_t next = 0; next < 64; ++next)
                mark(one_two_, tail1 << 10 | head1 << 6 | next);
        } else if (left.size() == 1) {
            mark(one_two_, tail1 << 10 | head2);
        } else if (right.size() == 1) {
            mark(two_one_, tail2 << 4 | head1);
        } else {
            mark(two_two_, slot(tail2 << 10 | head2));
        }
    }

    // Named by how many bytes the token holds of the left and of the right character.
    Bits one_two_ = Bits(1 << 10);  // one and one, too, whatever the second byte
    Bits two_one_ = Bits(1 << 10);
    Bits two_two_ = Bits(1 << 14);
    Bits whole_whole_ = Bits(1 << 14);
    Keys whole_part_, part_whole_;
    // For each character of three bytes, whether a token holds it whole and a part of the next
    // or of the one before; few have, and only for those the sets above are asked.
    std::vector<std::uint8_t> flags_ = std::vector<std::uint8_t>(0x10000);
};

}  // namespace bytebpe
