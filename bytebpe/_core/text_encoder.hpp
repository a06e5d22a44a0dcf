// Equals `TextEncoder` of bytebpe/ordinary.py: text without special tokens to ids.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <utility>
#include <variant>
#include <vector>

#include "dfa.hpp"
#include "family_scanner.hpp"
#include "isa.hpp"
#include "merge.hpp"
#include "piece_cache.hpp"

namespace bytebpe {

// Pieces that are looked up together.
struct Batch {
    static constexpr std::size_t size = 128;
    alignas(64) std::array<Key, size + 4> keys;
    std::array<std::uint64_t, size + 4> hashes;
};

// All that encoding changes while it runs: each call has one to itself.
struct Workspace {
    explicit Workspace(std::size_t cache_size) : cache(cache_size) {}

    PieceCache cache;
    MergeScratch merge;
    ScanScratch scan;
    std::vector<std::uint8_t> end_of_text;  // the last bytes of a text, with room behind them
    std::vector<Id> ids;                    // of one window
    std::vector<Id> output;                 // of the whole text
    std::array<Batch, 2> batches;
    std::uint64_t pieces = 0, misses = 0;
};

// How a text is split; std::monostate where that is done elsewhere.
using Scanner = std::variant<std::monostate, FamilyScanner, DfaScanner>;

class TextEncoder {
public:
    TextEncoder(const std::array<Id, 256>& byte_ids, const std::vector<Merge>& merges,
                Scanner scanner, std::size_t cache_size)
        : merger_(byte_ids, merges),
          scanner_(std::move(scanner)),
          cache_size_(cache_size),
          isa_(best_isa()) {}

    const Isa& isa() const { return isa_; }

    bool splits_by_family() const { return std::holds_alternative<FamilyScanner>(scanner_); }

    // Encodes a text and adds the ids to the workspace's output.  By family it must be UTF-8;
    // without a scanner it is one piece.
    void encode(const std::uint8_t* text, std::size_t size, Workspace& work) const {
        if (const auto* family = std::get_if<FamilyScanner>(&scanner_))
            encode_by_family(*family, text, size, work);
        else if (const auto* dfa = std::get_if<DfaScanner>(&scanner_))
            encode_by_dfa(*dfa, text, size, work);
        else
            encode_piece(text, size, work);
    }

    // Encodes one piece, whatever bytes it is of.
    void encode_piece(const std::uint8_t* piece, std::size_t size, Workspace& work) const {
        if (size == 0) return;
        if (size > UINT32_MAX) throw std::length_error("a piece of 4 GiB or more");
        const std::array<std::uint32_t, 8> places{0, static_cast<std::uint32_t>(size)};
        encode_pieces(copy_end(piece, size, work), places.data(), 1, size, work);
    }

private:
    // Window by window: what a scan says of the end of one is left to the next.
    void encode_by_family(const FamilyScanner& scanner, const std::uint8_t* text, std::size_t size,
                          Workspace& work) const {
        std::size_t window = window_size;
        for (std::size_t at = 0; at < size;) {
            const std::uint8_t* start = text + at;
            std::size_t length = size - at;
            const bool at_end = length <= window + behind;
            if (at_end) {
                start = copy_end(start, length, work);
            } else {
                length = window;
                while (continues(start[length])) --length;
            }
            std::size_t count = scanner.scan(start, length, isa_, work.scan);
            if (!at_end) {
                if (count < 4) {  // a piece as long as the window
                    window *= 4;
                    continue;
                }
                count -= 2;
                length = work.scan.places[count];
                window = window_size;
            }
            encode_pieces(start, work.scan.places.data(), count, length, work);
            at += length;
        }
    }

    // Piece by piece, put together to windows.
    void encode_by_dfa(const DfaScanner& scanner, const std::uint8_t* text, std::size_t size,
                       Workspace& work) const {
        std::vector<std::uint32_t>& places = work.scan.places;
        std::size_t base = 0;
        places.clear();
        const auto flush = [&](std::size_t end) {
            const std::size_t count = places.size(), length = end - base;
            places.resize(count + 5, static_cast<std::uint32_t>(length));
            const bool room = size - end >= behind;
            const std::uint8_t* start = room ? text + base : copy_end(text + base, length, work);
            encode_pieces(start, places.data(), count, length, work);
            places.clear();
            base = end;
        };
        scanner.scan(text, size, [&](std::size_t begin, std::size_t end) {
            places.push_back(static_cast<std::uint32_t>(begin - base));
            if (end - base >= window_size) flush(end);
        });
        if (!places.empty()) flush(size);
    }

public:
    // Lends a workspace; the one given back last has the warmest cache.
    std::unique_ptr<Workspace> borrow() {
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            if (!idle_.empty()) {
                auto work = std::move(idle_.back());
                idle_.pop_back();
                return work;
            }
        }
        return std::make_unique<Workspace>(cache_size_);
    }

    void give_back(std::unique_ptr<Workspace> work) {
        work->output.clear();
        if (work->output.capacity() > kept_output) work->output.shrink_to_fit();
        const std::lock_guard<std::mutex> lock(mutex_);
        idle_.push_back(std::move(work));
    }

    struct CacheInfo {
        std::uint64_t hits = 0, misses = 0;
        std::size_t used = 0;
    };

    CacheInfo cache_info() {
        const std::lock_guard<std::mutex> lock(mutex_);
        CacheInfo info;
        for (const auto& work : idle_) {
            info.hits += work->pieces - work->misses;
            info.misses += work->misses;
            info.used += work->cache.used();
        }
        return info;
    }

    void cache_clear() {
        const std::lock_guard<std::mutex> lock(mutex_);
        idle_.clear();
    }

private:
    static constexpr std::size_t window_size = 16'384;
    static constexpr std::size_t behind = 64;  // bytes that may be read past a window
    static constexpr std::size_t batch = Batch::size;
    static constexpr std::size_t kept_output = std::size_t{1} << 20;

    static const std::uint8_t* copy_end(const std::uint8_t* text, std::size_t size,
                                        Workspace& work) {
        // A whole number of words is classified, and a key is read at each place.
        const std::size_t room = (size + 63) / 64 * 64 + behind;
        if (work.end_of_text.size() < room) work.end_of_text.resize(room);
        std::memcpy(work.end_of_text.data(), text, size);
        std::memset(work.end_of_text.data() + size, 0, room - size);
        return work.end_of_text.data();
    }

    void encode_pieces(const std::uint8_t* text, const std::uint32_t* places, std::size_t count,
                       std::size_t size, Workspace& work) const {
        // At most one id for each byte; an entry of the cache writes up to sixteen.
        if (work.ids.size() < size + 16) work.ids.resize(size + 16);
        Id* ids = work.ids.data();
        Batch* now = &work.batches[0];
        Batch* next = &work.batches[1];
        prepare(text, places, std::min(batch, count), work.cache, *now);
        for (std::size_t from = 0; from < count; from += batch) {
            const std::size_t many = std::min(batch, count - from);
            if (from + batch < count)
                prepare(text, places + from + batch, std::min(batch, count - from - batch),
                        work.cache, *next);
            for (std::size_t i = 0; i < many; ++i) {
                const Key& key = now->keys[i];
                const PieceCache::Entry* set = work.cache.set_of(now->hashes[i]);
                const bool second = PieceCache::holds(set[1], key);
                std::size_t found = PieceCache::take(set[second], ids);
                if (!(second | PieceCache::holds(set[0], key)) || found - 1 >= 4) {
                    const std::uint32_t place = places[from + i];
                    found = look_further(text + place, places[from + i + 1] - place, key,
                                         now->hashes[i], work, ids);
                }
                ids += found;
            }
            std::swap(now, next);
        }
        work.pieces += count;
        work.output.insert(work.output.end(), work.ids.data(), ids);
    }

#if defined(__GNUC__)
    __attribute__((noinline))
#endif
    std::size_t look_further(const std::uint8_t* piece, std::size_t size, const Key& key,
                             std::uint64_t hash, Workspace& work, Id* ids) const {
        if (!key.is_long())
            if (const std::size_t found = work.cache.find_short(key, hash, ids); found != 0)
                return found;
        const bool may_be_kept = key.is_long() && size <= PieceCache::LongEntry::most_bytes;
        const std::uint64_t long_hash = may_be_kept ? PieceCache::hash_long(piece, size) : 0;
        if (may_be_kept)
            if (const std::size_t found = work.cache.find_long(piece, size, long_hash, ids);
                found != 0)
                return found;
        const std::size_t count = merger_.merge(piece, size, isa_, work.merge, ids);
        ++work.misses;
        if (!key.is_long()) work.cache.keep_short(key, hash, ids, count);
        if (may_be_kept) work.cache.keep_long(piece, size, long_hash, ids, count);
        return count;
    }

    // Packs the keys of some pieces and asks for their places in the cache, to be there when
    // the pieces before them are done.
    void prepare(const std::uint8_t* text, const std::uint32_t* places, std::size_t count,
                 const PieceCache& cache, Batch& to) const {
        isa_.pack(text, places, count, to.keys.data(), to.hashes.data());
        for (std::size_t i = 0; i < count; ++i) prefetch(cache.set_of(to.hashes[i]));
    }

    static void prefetch(const void* address) {
#if defined(__GNUC__)
        __builtin_prefetch(address);
#else
        (void)address;
#endif
    }

    Merger merger_;
    Scanner scanner_;
    std::size_t cache_size_;
    const Isa& isa_;
    std::mutex mutex_;
    std::vector<std::unique_ptr<Workspace>> idle_;
};

}  // namespace bytebpe
