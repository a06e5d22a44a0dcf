// Equals nothing in the reference but the place of its cache: no result depends on it.
//
// Two tables of fixed size.  The short one holds pieces of at most 15 bytes, which are nearly
// all there are: an entry is half a cache line, the piece itself is the key, and four ids are
// written without asking how many there are; more than four stand in a table beside it.  The
// long one holds pieces of up to 40 bytes and 20 ids.  In both, a hash names a set of four
// entries; a hit far back moves its entry forward, and a new entry takes the last place: what
// is used often stays, and what is not makes room, one entry at a time.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "isa.hpp"
#include "pair_table.hpp"
#include "zeroed_table.hpp"

namespace bytebpe {

class PieceCache {
public:
    struct Entry {
        Key key;
        std::array<Id, 4> ids;  // the last one shares its place with their number, 0 where free
    };

    // The ids of an entry that has more than four.
    using Many = std::array<Id, 16>;

    static constexpr unsigned number_shift = 24;
    static constexpr Id id_limit = 1U << number_shift;

    // For up to `size` pieces in all, a fifth of them long; for none if that is too few.
    explicit PieceCache(std::size_t size) {
        std::size_t sets = size / 5 / ways;  // of long pieces
        while ((sets & (sets - 1)) != 0) sets &= sets - 1;
        enabled_ = sets > 0;
        long_sets_ = enabled_ ? sets : 1;
        short_sets_ = 4 * long_sets_;
        short_ = ZeroedTable<Entry>(short_sets_ * ways);
    }

    // The first entry of the set of a short piece, and the second is in the same cache line.
    const Entry* set_of(std::uint64_t hash) const { return short_.data() + start(hash); }

    static bool holds(const Entry& entry, const Key& key) {
        return ((entry.key.low ^ key.low) | (entry.key.high ^ key.high)) == 0;
    }

    // Writes four ids whatever their number, and returns the number; 0 for a free entry.
    static std::size_t take(const Entry& entry, Id* ids) {
        std::memcpy(ids, entry.ids.data(), sizeof entry.ids);
        ids[3] &= id_limit - 1;
        return entry.ids[3] >> number_shift;
    }

    // Looks through the whole set; returns the number of ids written, up to 16, or 0 for none.
    std::size_t find_short(const Key& key, std::uint64_t hash, Id* ids) {
        const std::size_t first = start(hash);
        Entry* set = short_.data() + first;
        for (std::size_t way = 0; way < ways; ++way)
            if (holds(set[way], key)) {
                const std::size_t count = take(set[way], ids);
                if (count > 4) std::memcpy(ids, many_.data() + first + way, sizeof(Many));
                if (way > 1) {
                    std::swap(set[way], set[way - 1]);
                    if (!many_.empty())
                        std::swap(many_.data()[first + way], many_.data()[first + way - 1]);
                }
                return count;
            }
        return 0;
    }

    // Remembers a short piece, which has at most 15 ids.
    void keep_short(const Key& key, std::uint64_t hash, const Id* ids, std::size_t count) {
        if (!enabled_) return;
        const std::size_t first = start(hash);
        Entry* set = short_.data() + first;
        std::size_t way = 0;
        while (way < ways - 1 && set[way].ids[3] != 0) ++way;
        used_ += set[way].ids[3] == 0;
        Entry entry{key, {}};
        if (count <= 4) {
            std::copy(ids, ids + count, entry.ids.begin());
        } else {
            if (many_.empty()) many_ = ZeroedTable<Many>(short_sets_ * ways);
            std::copy(ids, ids + count, many_.data()[first + way].begin());
        }
        entry.ids[3] |= static_cast<Id>(count) << number_shift;
        set[way] = entry;
    }

    struct LongEntry {
        static constexpr std::size_t most_bytes = 40, most_ids = 20;
        std::uint8_t size, count;
        std::uint32_t hash;
        std::array<std::uint8_t, most_bytes> bytes;
        std::array<Id, most_ids> ids;
    };

    // The hash of a piece of up to `LongEntry::most_bytes`.
    static std::uint64_t hash_long(const std::uint8_t* piece, std::size_t size) {
        std::uint64_t mixed = size;
        std::size_t at = 0;
        for (; at + 8 <= size; at += 8) mixed = mix(mixed, piece + at, 8);
        mixed = mix(mixed, piece + at, size - at);
        return mixed ^ mixed >> 32;
    }

    std::size_t find_long(const std::uint8_t* piece, std::size_t size, std::uint64_t hash,
                          Id* ids) {
        if (long_.empty()) return 0;
        LongEntry* set = long_.data() + long_start(hash);
        for (std::size_t way = 0; way < ways; ++way) {
            const LongEntry& entry = set[way];
            if (entry.hash == static_cast<std::uint32_t>(hash >> 32) && entry.size == size &&
                std::memcmp(entry.bytes.data(), piece, size) == 0) {
                const std::size_t count = entry.count;
                std::memcpy(ids, entry.ids.data(), count * sizeof(Id));
                if (way > 1) std::swap(set[way], set[way - 1]);
                return count;
            }
        }
        return 0;
    }

    void keep_long(const std::uint8_t* piece, std::size_t size, std::uint64_t hash, const Id* ids,
                   std::size_t count) {
        if (count > LongEntry::most_ids || !enabled_) return;
        if (long_.empty()) long_ = ZeroedTable<LongEntry>(long_sets_ * ways);
        LongEntry* set = long_.data() + long_start(hash);
        std::size_t way = 0;
        while (way < ways - 1 && set[way].size != 0) ++way;
        LongEntry& entry = set[way];
        used_ += entry.size == 0;
        entry.size = static_cast<std::uint8_t>(size);
        entry.count = static_cast<std::uint8_t>(count);
        entry.hash = static_cast<std::uint32_t>(hash >> 32);
        std::memcpy(entry.bytes.data(), piece, size);
        std::memcpy(entry.ids.data(), ids, count * sizeof(Id));
    }

    std::size_t used() const { return used_; }

private:
    static constexpr std::size_t ways = 4;

    std::size_t start(std::uint64_t hash) const { return (hash & (short_sets_ - 1)) * ways; }
    std::size_t long_start(std::uint64_t hash) const { return (hash & (long_sets_ - 1)) * ways; }

    static std::uint64_t mix(std::uint64_t mixed, const std::uint8_t* bytes, std::size_t size) {
        std::uint64_t next = 0;
        std::memcpy(&next, bytes, size);
        mixed = (mixed ^ next) * 0x9E3779B97F4A7C15U;
        return mixed ^ mixed >> 29;
    }

    ZeroedTable<Entry> short_;
    ZeroedTable<Many> many_;  // beside `short_`
    ZeroedTable<LongEntry> long_;
    std::size_t short_sets_ = 1, long_sets_ = 1;
    std::size_t used_ = 0;
    bool enabled_ = false;
};

}  // namespace bytebpe
