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

#include "buffer.hpp"
#include "dfa_scanner.hpp"
#include "family_scanner.hpp"
#include "isa.hpp"
#include "merge.hpp"
#include "piece_cache.hpp"
#include "prefetch.hpp"
#include "unset_vector.hpp"
#include "workspace.hpp"

namespace bytebpe {

// How a text is split; std::monostate where that is done elsewhere.
using Scanner = std::variant<std::monostate, FamilyScanner, DfaScanner>;

// For ids of a width that holds all of them.
template <class Out>
class TextEncoder {
public:
    using Work = Workspace<Out>;

    TextEncoder(const std::array<Id, 256>& byte_ids, const std::vector<Merge>& merges,
                Scanner scanner, std::size_t cache_size)
        : merger_(byte_ids, merges),
          scanner_(std::move(scanner)),
          cache_size_(cache_size),
          isa_(best_isa()) {}

    const Isa& isa() const { return isa_; }
    const Merger& merger() const { return merger_; }

    // Before any text is encoded; no scanner may cut pieces further than the pattern does.
    void keep_whole(const std::uint8_t* piece, std::size_t size, Id id) {
        merger_.keep_whole(piece, size, id);
    }

    // By which texts can be divided; nothing where they cannot.
    const FamilyScanner* family() const { return std::get_if<FamilyScanner>(&scanner_); }

    // Encodes a text and adds the ids to the workspace's output.  By family it must be UTF-8;
    // without a scanner it is one piece.
    void encode(const std::uint8_t* text, std::size_t size, Work& work) const {
        if (const auto* family = std::get_if<FamilyScanner>(&scanner_))
            encode_by_family(*family, text, size, work);
        else if (const auto* dfa = std::get_if<DfaScanner>(&scanner_))
            encode_by_dfa(*dfa, text, size, work);
        else
            encode_piece(text, size, work);
    }

    // Encodes one piece, whatever bytes it is of.
    void encode_piece(const std::uint8_t* piece, std::size_t size, Work& work) const {
        if (size == 0) return;
        if (size > UINT32_MAX) throw std::length_error("a piece of 4 GiB or more");
        const std::array<std::uint32_t, 8> places{0, static_cast<std::uint32_t>(size)};
        encode_pieces(copy_end(piece, size, work), places.data(), 1, size, work);
    }

    // Encodes the pieces that start at these places and tile a stretch of text.  64 bytes past it
    // must be readable, and the places are used up.
    void encode_cut(const std::uint8_t* text, std::size_t size, UnsetVector<std::uint32_t>& places,
                    Work& work) const {
        if (size > UINT32_MAX) throw std::length_error("a piece of 4 GiB or more");
        const std::size_t count = places.size();
        places.resize(count + 5, static_cast<std::uint32_t>(size));
        encode_pieces(text, places.data(), count, size, work);
    }

private:
    // Window by window: what a scan says of the end of one is left to the next.  Only the end
    // of the text is copied, to where something may be read behind it.
    void encode_by_family(const FamilyScanner& scanner, const std::uint8_t* text, std::size_t size,
                          Work& work) const {
        std::size_t window = window_size, copied = end_size;
        for (std::size_t at = 0; at < size;) {
            const std::uint8_t* start = text + at;
            std::size_t length = size - at;
            const bool at_end = length <= copied;
            if (at_end) {
                start = copy_end(start, length, work);
            } else {
                length = std::min(window, length - behind);
                while (continues(start[length])) --length;
            }
            const std::size_t count = scanner.scan(start, length, at_end, isa_, work.scan);
            if (count == 0) {  // a piece as long as the window
                if (length < window) copied = size - at;
                window *= 4;
                continue;
            }
            length = work.scan.places[count];
            window = window_size;
            encode_pieces(start, work.scan.places.data(), count, length, work);
            at += length;
        }
    }

    // Piece by piece, put together to windows.
    void encode_by_dfa(const DfaScanner& scanner, const std::uint8_t* text, std::size_t size,
                       Work& work) const {
        UnsetVector<std::uint32_t>& places = work.scan.places;
        std::size_t base = 0;
        places.clear();
        const auto flush = [&](std::size_t end) {
            const std::size_t length = end - base;
            const bool room = size - end >= behind;
            const std::uint8_t* start = room ? text + base : copy_end(text + base, length, work);
            encode_cut(start, length, places, work);
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
    // Lends a workspace; the one given back last has the warmest cache.  All together keep to
    // the limits of one, also those that as many `parties` as will be at work have yet to borrow.
    // One that was of no use for long is let go, and its share of the limits with it.
    std::unique_ptr<Work> borrow(std::size_t parties = 1) {
        const std::lock_guard<std::mutex> lock(mutex_);
        ++lendings_;
        while (!idle_.empty() && is_surplus(*idle_.front())) {
            gone_.add(*idle_.front());
            idle_.erase(idle_.begin());
            --workspaces_;
        }
        std::unique_ptr<Work> work;
        if (idle_.empty()) {
            work = std::make_unique<Work>();
            ++workspaces_;
        } else {
            work = std::move(idle_.back());
            idle_.pop_back();
        }
        const std::size_t shares = std::max(workspaces_, parties);
        work->cache.set_limit({cache_size_ / shares, cache_bytes / shares});
        work->lent_at = work->pieces;
        return work;
    }

    void give_back(std::unique_ptr<Work> work) {
        work->output.clear();
        work->output.shrink(kept_room);
        work->utf8.shrink(kept_room);
        const std::lock_guard<std::mutex> lock(mutex_);
        clock_ += work->pieces - work->lent_at;
        work->left_at = clock_;
        work->left_before = lendings_;
        idle_.push_back(std::move(work));
    }

    struct CacheInfo {
        std::uint64_t hits = 0, misses = 0;
        std::size_t used = 0;

        void add(const Work& work) {
            hits += work.pieces - work.misses;
            misses += work.misses;
        }
    };

    CacheInfo cache_info() {
        const std::lock_guard<std::mutex> lock(mutex_);
        CacheInfo info = gone_;
        for (const auto& work : idle_) {
            info.add(*work);
            info.used += work->cache.used();
        }
        return info;
    }

    void cache_clear() {
        const std::lock_guard<std::mutex> lock(mutex_);
        workspaces_ -= idle_.size();
        idle_.clear();
        gone_ = {};
    }

private:
    static constexpr std::size_t window_size = 8192;
    static constexpr std::size_t end_size = 512;  // what is copied of a text, at most, if it can be
    static constexpr std::size_t behind = 64;     // bytes that may be read past a window
    static constexpr std::size_t kept_room = std::size_t{1} << 22;  // of bytes or ids
    static constexpr std::uint64_t most_idle = 1 << 22;  // pieces encoded without a workspace
    static constexpr std::size_t cache_bytes = std::size_t{64} << 20;  // of all workspaces

    // Whether the others have done without it for long, and not in one and the same call.
    bool is_surplus(const Work& work) const {
        return lendings_ - work.left_before > 2 * workspaces_ && clock_ - work.left_at > most_idle;
    }

    static const std::uint8_t* copy_end(const std::uint8_t* text, std::size_t size, Work& work) {
        // A whole number of words is classified, and a key is read at each place.
        const std::size_t room = (size + 63) / 64 * 64 + behind;
        if (work.end_of_text.size() < room) work.end_of_text.resize(room);
        std::memcpy(work.end_of_text.data(), text, size);
        std::memset(work.end_of_text.data() + size, 0, room - size);
        return work.end_of_text.data();
    }

    void encode_pieces(const std::uint8_t* text, const std::uint32_t* places, std::size_t count,
                       std::size_t size, Work& work) const {
        if (work.output.keeps())
            look_up<true>(text, places, count, size, work);
        else
            look_up<false>(text, places, count, size, work);
    }

    template <bool keeps>
    void look_up(const std::uint8_t* text, const std::uint32_t* places, std::size_t count,
                 std::size_t size, Work& work) const {
        constexpr std::size_t ahead = PackedPieces::ahead;
        PackedPieces& packed = work.packed;
        // At most one id for each byte; an entry of the cache writes up to sixteen bytes.
        Out* const start = work.output.end_with_room(size + 16);
        Out* ids = start;
        auto cache = work.cache.view();
        for (std::size_t from = 0, ready = 0; from < count;) {
            const std::size_t more = std::min(PackedPieces::most - ready, count - from - ready);
            pack(text, places + from + ready, more, packed.keys.data() + ready,
                 packed.hashes.data() + ready);
            if (from == 0)
                for (std::size_t i = 0; i < std::min(ahead, more); ++i)
                    prefetch(cache.line_of(packed.hashes[i]));
            ready += more;
            const std::size_t many = from + ready == count ? ready : ready - ahead;
            for (std::size_t i = 0; i < many; ++i) {
                prefetch(cache.line_of(packed.hashes[i + ahead]));
                const Key& key = packed.keys[i];
                const auto* line = cache.line_of(packed.hashes[i]);
                // What only begins like the second entry is found further on.
                const auto& entry = line[line[1].key.low == key.low];
                if constexpr (keeps) std::memcpy(ids, entry.ids.data(), sizeof entry.ids);
                std::size_t found = entry.count();
                // A piece too long to be kept has the key of a free entry, and that holds no ids.
                if (!PieceCache<Out>::holds(entry, key) ||
                    found - 1 >= PieceCache<Out>::most_inside) {
                    if (PieceCache<Out>::holds_elsewhere(entry, key)) {
                        ids += cache.take_from_arena(entry, ids);
                        continue;
                    }
                    const std::uint32_t* at = places + from + i;
                    found =
                        look_further(text + at[0], at[1] - at[0], key, packed.hashes[i], work, ids);
                    cache = work.cache.view();
                }
                ids += found;
            }
            from += many;
            ready -= many;
            std::copy_n(packed.keys.data() + many, ready, packed.keys.data());
            std::copy_n(packed.hashes.data() + many, ready, packed.hashes.data());
        }
        work.pieces += count;
        work.output.add(static_cast<std::size_t>(ids - start));
    }

    void pack(const std::uint8_t* text, const std::uint32_t* places, std::size_t count, Key* keys,
              std::uint64_t* hashes) const {
        if (isa_.pack(text, places, count, keys, hashes))
            pack_long(text, places, count, keys, hashes);
    }

    static void pack_long(const std::uint8_t* text, const std::uint32_t* places, std::size_t count,
                          Key* keys, std::uint64_t* hashes) {
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t size = places[i + 1] - places[i];
            if (size <= 15 || size > PieceCache<Out>::most_bytes) continue;
            keys[i] = PieceCache<Out>::long_key(text + places[i], size);
            hashes[i] = PieceCache<Out>::long_hash(keys[i]);
        }
    }

#if defined(__GNUC__)
    __attribute__((noinline))
#endif
    std::size_t look_further(const std::uint8_t* piece, std::size_t size, const Key& key,
                             std::uint64_t hash, Work& work, Out* ids) const {
        const bool may_be_kept = size <= PieceCache<Out>::most_bytes;
        if (may_be_kept)
            if (const std::size_t found = work.cache.find(piece, key, hash, ids)) return found;
        ++work.misses;
        if (work.merged.size() < size) work.merged.resize(size);
        const std::size_t count = merger_.merge(piece, size, isa_, work.merge, work.merged.data());
        std::transform(work.merged.begin(),
                       work.merged.begin() + static_cast<std::ptrdiff_t>(count), ids,
                       [](Id id) { return static_cast<Out>(id); });
        if (may_be_kept) work.cache.keep(piece, key, hash, ids, count);
        return count;
    }

    Merger merger_;
    Scanner scanner_;
    std::size_t cache_size_;
    const Isa& isa_;
    std::mutex mutex_;
    std::size_t workspaces_ = 0;  // lent or idle
    std::uint64_t lendings_ = 0;
    std::uint64_t clock_ = 0;  // in pieces, encoded in any of them
    CacheInfo gone_;           // of workspaces that were let go
    std::vector<std::unique_ptr<Work>> idle_;
};

}  // namespace bytebpe
