// Equals nothing in the reference: what a call that encodes has to itself.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "buffer.hpp"
#include "family_scanner.hpp"
#include "isa.hpp"
#include "merge.hpp"
#include "piece_cache.hpp"
#include "unset_vector.hpp"

namespace bytebpe {

// Pieces that are looked up together, and those ahead of them, whose entries are asked for.
struct PackedPieces {
    static constexpr std::size_t ahead = 32;
    static constexpr std::size_t most = 128 + ahead;
    alignas(64) std::array<Key, most> keys;
    // One may be asked for that is not there yet.
    alignas(64) std::array<std::uint64_t, most + ahead> hashes{};
};

// All that encoding changes while it runs: each call has one to itself.
template <class Out>
struct Workspace {
    PieceCache<Out> cache;
    MergeScratch merge;
    ScanScratch scan;
    UnsetVector<std::uint8_t> end_of_text;  // the last bytes of a text, with room behind them
    UnsetVector<Id> merged;                 // the ids of one piece
    Buffer<Out> output;                     // of the whole text
    Buffer<std::uint8_t> utf8;              // of a text that comes otherwise
    PackedPieces packed;
    std::uint64_t pieces = 0, misses = 0;
    std::uint64_t lent_at = 0;      // by `pieces`
    std::uint64_t left_at = 0;      // by the clock of the encoder
    std::uint64_t left_before = 0;  // by the number of lendings
};

}  // namespace bytebpe
