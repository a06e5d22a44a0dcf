// Equals nothing in the reference but the place of its cache: no result depends on it.
//
// Two generations, young and old.  A piece is sought in the young one first; what is found in
// the old one is taken over into the young one; and once the young one is full it becomes the
// old one, whose pieces go.  So what is used stays, and what is not makes room, without a cliff
// where everything is forgotten at once and without a write for every hit.
//
// A generation is an open-addressing table of entries of 32 bytes, two to a cache line, that
// starts small and grows, so that a small set of pieces stays in a fast part of the machine's
// memory.  A piece of at most 15 bytes is its own key; a longer one has a hash for a key, and its
// bytes stand in an arena.  An entry holds the ids where they fit; else they are in the arena too.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "isa.hpp"
#include "pair_table.hpp"
#include "zeroed_table.hpp"

namespace bytebpe {

// How much a cache may hold.
struct CacheLimit {
    std::size_t pieces;
    std::size_t bytes;
};

// For ids of a width that holds all of them.
template <class Out>
class PieceCache {
public:
    static constexpr std::size_t lanes = 16 / sizeof(Out);
    static constexpr std::size_t most_inside = lanes - 1;  // ids in an entry
    static constexpr std::size_t most_bytes = 255;         // of a piece that is kept

    // The last lane is the number of ids, 0 where the entry is free.
    struct alignas(32) Entry {
        Key key;
        std::array<Out, lanes> ids;
        std::size_t count() const { return ids[lanes - 1]; }
    };

    // A cache that holds more than that already is cut back when it next keeps a piece.
    void set_limit(CacheLimit limit) {
        limit_ = {limit.pieces / 2, limit.bytes / 2};  // of a generation
        enabled_ = limit_.pieces > 0 && limit_.bytes >= least_bytes;
    }

    // The table as it is until the next `find` or `keep`.
    struct View {
        const Entry* slots;
        std::size_t mask;
        const std::uint8_t* arena;

        // The two entries of the cache line where the search for a piece begins.
        const Entry* line_of(std::uint64_t hash) const {
            return slots + (static_cast<std::size_t>(hash) * 2 & mask);
        }

        // Copies ids from the arena, and a few more, and returns their number.
        std::size_t take_from_arena(const Entry& entry, Out* ids) const {
            const Place at = Generation::place(entry);
            const std::uint8_t* from = arena + std::size_t{at.unit} * 16;
            for (std::size_t i = 0; i < at.count; i += lanes)
                std::memcpy(ids + i, from + i * sizeof(Out), 16);
            return at.count;
        }
    };

    View view() const { return young_.view(); }

    static bool holds(const Entry& entry, const Key& key) {
        return ((entry.key.low ^ key.low) | (entry.key.high ^ key.high)) == 0;
    }

    // Whether an entry is of this piece, a short one, and has its ids in the arena.
    static bool holds_elsewhere(const Entry& entry, const Key& key) {
        return holds(entry, key) && entry.count() == elsewhere && !is_long(key);
    }

    // The key of a piece of 16 to `most_bytes` bytes.
    static Key long_key(const std::uint8_t* piece, std::size_t size) {
        std::uint64_t mixed = size * 0x9E3779B97F4A7C15U;
        std::size_t at = 0;
        for (; at + 8 <= size; at += 8) mixed = mix(mixed, piece + at);
        mixed = mix(mixed, piece + size - 8);
        return {mixed ^ mixed >> 31, size};
    }

    static std::uint64_t long_hash(const Key& key) { return key.low; }

    // Writes the ids of a piece and returns their number, 0 where it is not there.  16 bytes more
    // than there are ids may be written.
    std::size_t find(const std::uint8_t* piece, const Key& key, std::uint64_t hash, Out* ids) {
        if (const Entry* entry = young_.find(piece, key, hash)) return young_.take(*entry, ids);
        if (old_.used == 0) return 0;
        const Entry* entry = old_.find(piece, key, hash);
        if (entry == nullptr) return 0;
        const std::size_t count = old_.take(*entry, ids);
        keep(piece, key, hash, ids, count);
        return count;
    }

    // Remembers a piece that was not found.
    void keep(const std::uint8_t* piece, const Key& key, std::uint64_t hash, const Out* ids,
              std::size_t count) {
        if (!enabled_) return;
        const std::size_t room = arena_room(key, count);
        if (young_.used >= limit_.pieces || !young_.make_room(room, limit_.bytes)) {
            old_ = std::move(young_);
            young_ = Generation();
            young_.make_room(room, limit_.bytes);
        }
        young_.add(piece, key, hash, ids, count, room);
    }

    std::size_t used() const { return young_.used + old_.used; }
    std::size_t bytes() const { return young_.bytes() + old_.bytes(); }

private:
    static constexpr std::size_t first_size = std::size_t{1} << 12;
    static constexpr std::size_t least_bytes = 2 * first_size * sizeof(Entry);  // of a generation
    static constexpr Out elsewhere = 0xFF;  // in the last lane: the ids are in the arena

    static bool is_long(const Key& key) { return key.high >> 56 == 0; }

    static std::uint64_t mix(std::uint64_t mixed, const std::uint8_t* bytes) {
        std::uint64_t next;
        std::memcpy(&next, bytes, sizeof next);
        mixed = (mixed ^ next) * 0x9E3779B97F4A7C15U;
        return mixed ^ mixed >> 29;
    }

    static bool is_elsewhere(const Key& key, std::size_t count) {
        return is_long(key) || count > most_inside;
    }

    // The ids and then the bytes of a piece, in whole units of 16 bytes.
    static std::size_t arena_room(const Key& key, std::size_t count) {
        if (!is_elsewhere(key, count)) return 0;
        const std::size_t bytes = is_long(key) ? static_cast<std::size_t>(key.high) : 0;
        return (count * sizeof(Out) + 15) / 16 * 16 + (bytes + 15) / 16 * 16;
    }

    struct Place {
        std::uint32_t unit;  // of 16 bytes, in the arena
        std::uint16_t count;
    };

    struct Generation {
        ZeroedTable<Entry> slots{first_size};
        std::size_t size = first_size;
        std::size_t used = 0;
        std::vector<std::uint8_t> arena;

        std::size_t home(std::uint64_t hash) const {
            return static_cast<std::size_t>(hash) * 2 & (size - 1);
        }

        std::size_t bytes() const { return size * sizeof(Entry) + arena.capacity(); }

        static Place place(const Entry& entry) {
            Place place;
            std::memcpy(&place, entry.ids.data(), sizeof place);
            return place;
        }

        View view() const { return {slots.data(), size - 1, arena.data()}; }

        const std::uint8_t* in_arena(const Place& place) const {
            return arena.data() + std::size_t{place.unit} * 16;
        }

        const Entry* find(const std::uint8_t* piece, const Key& key, std::uint64_t hash) const {
            for (std::size_t at = home(hash);; at = (at + 1) & (size - 1)) {
                const Entry& entry = slots.data()[at];
                if (entry.count() == 0) return nullptr;
                if (holds(entry, key) && (!is_long(key) || same_bytes(entry, piece, key)))
                    return &entry;
            }
        }

        bool same_bytes(const Entry& entry, const std::uint8_t* piece, const Key& key) const {
            const Place at = place(entry);
            const std::size_t ids = (at.count * sizeof(Out) + 15) / 16 * 16;
            return std::memcmp(in_arena(at) + ids, piece, static_cast<std::size_t>(key.high)) == 0;
        }

        std::size_t take(const Entry& entry, Out* ids) const {
            std::memcpy(ids, entry.ids.data(), sizeof entry.ids);
            return entry.count() == elsewhere ? view().take_from_arena(entry, ids) : entry.count();
        }

        void add(const std::uint8_t* piece, const Key& key, std::uint64_t hash, const Out* ids,
                 std::size_t count, std::size_t room) {
            Entry entry{key, {}};
            if (room == 0) {
                std::copy(ids, ids + count, entry.ids.begin());
                entry.ids[lanes - 1] = static_cast<Out>(count);
            } else {
                const Place at{static_cast<std::uint32_t>(arena.size() / 16),
                               static_cast<std::uint16_t>(count)};
                std::memcpy(entry.ids.data(), &at, sizeof at);
                entry.ids[lanes - 1] = elsewhere;
                arena.resize(arena.size() + room);
                std::uint8_t* to = arena.data() + std::size_t{at.unit} * 16;
                std::memcpy(to, ids, count * sizeof(Out));
                if (is_long(key))
                    std::memcpy(to + (count * sizeof(Out) + 15) / 16 * 16, piece,
                                static_cast<std::size_t>(key.high));
            }
            put(entry, hash);
            ++used;
        }

        void put(const Entry& entry, std::uint64_t hash) {
            std::size_t at = home(hash);
            while (slots.data()[at].count() != 0) at = (at + 1) & (size - 1);
            slots.data()[at] = entry;
        }

        // Grows to hold one more piece, of which `room` bytes are in the arena; false where that
        // would take more than `limit` bytes.
        bool make_room(std::size_t room, std::size_t limit) {
            const bool may_grow = 2 * size * sizeof(Entry) <= limit / 2;  // the arena has the rest
            if (may_grow && 8 * (used + 1) > 5 * size) grow();
            if (8 * (used + 1) > 6 * size) return false;
            const std::size_t needed = arena.size() + room, most = limit - size * sizeof(Entry);
            if (needed > arena.capacity()) {
                if (needed > most) return false;
                arena.reserve(std::min(most, std::max(2 * needed, first_size)));
            }
            return true;
        }

        void grow() {
            const ZeroedTable<Entry> before = std::move(slots);
            const std::size_t count = size;
            size *= 2;
            slots = ZeroedTable<Entry>(size);
            for (std::size_t at = 0; at < count; ++at)
                if (const Entry& entry = before.data()[at]; entry.count() != 0)
                    put(entry,
                        is_long(entry.key) ? long_hash(entry.key) : bytebpe::hash(entry.key));
        }
    };

    Generation young_, old_;
    CacheLimit limit_{};
    bool enabled_ = false;
};

}  // namespace bytebpe
