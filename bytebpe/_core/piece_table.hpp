// Equals the Counter of bytebpe/counting.py: pieces, each with its count and where it came first.
//
// Entries lie in blocks in the order in which they came, so that growing copies none of them and
// memory is 32 bytes a piece, beside the longer pieces themselves and an index of four bytes a
// slot.  Pieces are added many at a time: a slot is asked for before the one ahead of it is read.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "isa.hpp"
#include "prefetch.hpp"
#include "text_span.hpp"
#include "zeroed_table.hpp"

namespace bytebpe {

class PieceTable {
public:
    struct Entry {
        Key key;  // of a long piece the address of its size, which its bytes follow
        std::int64_t count;
        std::uint64_t first;  // the place in the stream of texts where it first appeared
    };

    // Pieces that are added together.
    static constexpr std::size_t batch = 128;

    PieceTable() = default;
    PieceTable(PieceTable&&) = default;
    PieceTable& operator=(PieceTable&&) = default;

    std::size_t size() const { return size_; }
    const Entry& operator[](std::size_t number) const {
        return blocks_[number / block][number % block];
    }

    // The bytes of a piece; those of a short one lie in the entry.
    static Span piece(const Entry& entry) {
        if (!entry.key.is_long()) {
            const auto* bytes = reinterpret_cast<const std::uint8_t*>(&entry.key);
            return {bytes, bytes[15]};
        }
        const std::uint8_t* record = record_of(entry.key);
        std::uint64_t size;
        std::memcpy(&size, record, sizeof size);
        return {record + sizeof size, static_cast<std::size_t>(size)};
    }

    // Counts the pieces between `count` + 1 places of a text, which lies at `position` in the
    // stream.  There must be four places more, and 64 readable bytes behind the text.
    void add(const std::uint8_t* text, const std::uint32_t* places, std::size_t count,
             std::uint64_t position, const Isa& isa) {
        for (std::size_t from = 0; from < count; from += batch) {
            const std::size_t many = std::min(batch, count - from);
            const std::uint32_t* at = places + from;
            isa.pack(text, at, many, keys_.data(), hashes_.data());
            for (std::size_t i = 0; i < many; ++i)
                if (keys_[i].is_long()) hashes_[i] = hash_long(text + at[i], at[i + 1] - at[i]);
            prepare(many);
            for (std::size_t i = 0; i < many; ++i)
                count_piece({text + at[i], at[i + 1] - at[i]}, keys_[i], hashes_[i], 1,
                            position + at[i]);
        }
    }

    // Counts one piece so often.
    void add(Span piece, std::int64_t count, std::uint64_t position) {
        if (piece.size == 0) return;
        const Key key = short_key(piece);
        prepare(0);
        count_piece(piece, key, hash_of(key, piece), count, position);
    }

    // Adds all pieces of another table.
    void add(const PieceTable& other) {
        for (std::size_t from = 0; from < other.size(); from += batch) {
            const std::size_t many = std::min(batch, other.size() - from);
            for (std::size_t i = 0; i < many; ++i) {
                const Entry& entry = other[from + i];
                keys_[i] = entry.key.is_long() ? Key{} : entry.key;
                hashes_[i] = hash_of(keys_[i], piece(entry));
            }
            prepare(many);
            for (std::size_t i = 0; i < many; ++i) {
                const Entry& entry = other[from + i];
                count_piece(piece(entry), keys_[i], hashes_[i], entry.count, entry.first);
            }
        }
    }

    // Gives back what only adding needs, until something is added.
    void rest() {
        slots_ = ZeroedTable<std::uint32_t>();
        slot_count_ = 0;
    }

    // The numbers of all entries in the order in which the pieces first appeared.
    std::vector<std::uint32_t> in_order() const {
        std::vector<std::uint32_t> numbers(size_);
        for (std::size_t i = 0; i < size_; ++i) numbers[i] = static_cast<std::uint32_t>(i);
        const auto before = [this](std::uint32_t a, std::uint32_t b) {
            return (*this)[a].first < (*this)[b].first;
        };
        if (!std::is_sorted(numbers.begin(), numbers.end(), before))
            std::sort(numbers.begin(), numbers.end(), before);
        return numbers;
    }

private:
    static constexpr std::size_t block = 4096;  // entries
    static constexpr std::size_t arena_size = std::size_t{1} << 18;

    static const std::uint8_t* record_of(const Key& key) {
        return reinterpret_cast<const std::uint8_t*>(static_cast<std::uintptr_t>(key.low));
    }

    static Key short_key(Span piece) {
        Key key;
        if (piece.size > 15) return key;
        std::array<std::uint8_t, 16> bytes{};
        std::memcpy(bytes.data(), piece.text, piece.size);
        bytes[15] = static_cast<std::uint8_t>(piece.size);
        std::memcpy(&key, bytes.data(), sizeof key);
        return key;
    }

    static std::uint64_t hash_of(const Key& key, Span piece) {
        return key.is_long() ? hash_long(piece.text, piece.size) : hash(key);
    }

    static std::uint64_t hash_long(const std::uint8_t* piece, std::size_t size) {
        std::uint64_t mixed = size * 0x9E3779B97F4A7C15U;
        std::uint64_t word = 0;
        std::size_t at = 0;
        for (; at + 8 <= size; at += 8) {
            std::memcpy(&word, piece + at, 8);
            mixed = (mixed ^ word) * 0xBF58476D1CE4E5B9U;
            mixed ^= mixed >> 31;
        }
        word = 0;
        std::memcpy(&word, piece + at, size - at);
        mixed = (mixed ^ word) * 0x94D049BB133111EBU;
        return mixed ^ mixed >> 32;
    }

    // Makes room for so many pieces, and asks for the slots and entries of those prepared.
    void prepare(std::size_t many) {
        if (2 * (size_ + batch) > slot_count_) index();
        const std::size_t mask = slot_count_ - 1;
        const std::uint32_t* slots = slots_.data();
        for (std::size_t i = 0; i < many; ++i) prefetch(slots + (hashes_[i] & mask));
        for (std::size_t i = 0; i < many; ++i) {
            const std::uint32_t number = slots[hashes_[i] & mask];
            if (number != 0) prefetch(&(*this)[number - 1]);
        }
    }

    void count_piece(Span piece, Key key, std::uint64_t hash, std::int64_t count,
                     std::uint64_t position) {
        const std::size_t mask = slot_count_ - 1;
        std::uint32_t* slots = slots_.data();
        std::size_t slot = hash & mask;
        for (; slots[slot] != 0; slot = (slot + 1) & mask) {
            const std::size_t number = slots[slot] - 1;
            Entry& entry = blocks_[number / block][number % block];
            if (key.is_long() ? !entry.key.is_long() || !same(entry, piece) : !(entry.key == key))
                continue;
            entry.count += count;
            entry.first = std::min(entry.first, position);
            return;
        }
        slots[slot] = static_cast<std::uint32_t>(size_ + 1);
        if (size_ % block == 0) blocks_.push_back(std::make_unique<Entry[]>(block));
        if (key.is_long()) key.low = reinterpret_cast<std::uintptr_t>(keep(piece));
        blocks_.back()[size_ % block] = {key, count, position};
        ++size_;
    }

    static bool same(const Entry& entry, Span other) {
        const Span mine = piece(entry);
        return mine.size == other.size && std::memcmp(mine.text, other.text, mine.size) == 0;
    }

    // Copies the size and the bytes of a long piece to where they stay.
    const std::uint8_t* keep(Span piece) {
        const std::uint64_t size = piece.size;
        const std::size_t room = sizeof size + piece.size;
        if (room > arena_left_) {
            arena_left_ = std::max(arena_size, room);
            arenas_.push_back(std::unique_ptr<std::uint8_t[]>(new std::uint8_t[arena_left_]));
            arena_at_ = arenas_.back().get();
        }
        std::uint8_t* record = arena_at_;
        std::memcpy(record, &size, sizeof size);
        std::memcpy(record + sizeof size, piece.text, piece.size);
        arena_at_ += room;
        arena_left_ -= room;
        return record;
    }

    // Makes an index with room for a batch more.
    void index() {
        if (size_ > UINT32_MAX / 4) throw std::length_error("more than a billion distinct pieces");
        std::size_t count = std::max<std::size_t>(slot_count_, 1 << 12);
        while (2 * (size_ + batch) > count) count *= 2;
        rest();  // gives its memory back first
        slots_ = ZeroedTable<std::uint32_t>(count);
        slot_count_ = count;
        const std::size_t mask = slot_count_ - 1;
        std::uint32_t* slots = slots_.data();
        for (std::size_t number = 0; number < size_; ++number) {
            const Entry& entry = (*this)[number];
            std::size_t slot = hash_of(entry.key, piece(entry)) & mask;
            while (slots[slot] != 0) slot = (slot + 1) & mask;
            slots[slot] = static_cast<std::uint32_t>(number + 1);
        }
    }

    std::size_t slot_count_ = 0;
    ZeroedTable<std::uint32_t> slots_;  // by hash, the number of an entry plus one, or 0
    std::vector<std::unique_ptr<Entry[]>> blocks_;
    std::size_t size_ = 0;
    std::vector<std::unique_ptr<std::uint8_t[]>> arenas_;  // the long pieces
    std::uint8_t* arena_at_ = nullptr;
    std::size_t arena_left_ = 0;
    std::array<Key, batch + 4> keys_{};
    std::array<std::uint64_t, batch + 4> hashes_{};
};

}  // namespace bytebpe
