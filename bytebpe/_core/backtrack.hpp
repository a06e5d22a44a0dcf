// Equals `MergeTable` of bytebpe/merge.py on a long piece, in time that grows with its length.
//
// Merging gives the one sequence of tokens in which each token is what its own bytes merge to, and
// so are any two neighbours (docs/algorithm.md has the proof).  So tokens are taken from left to
// right, the longest first; one that does not go with the token before it gives way to a shorter
// one; and where none fits, the token before is taken back.  A place that was left that way is
// never an end again: the tokens up to a place do not depend on what follows.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "byte_pairs.hpp"
#include "pair_table.hpp"
#include "trie.hpp"
#include "zeroed_table.hpp"

namespace bytebpe {

class Backtracker {
public:
    // For pieces whose neighbouring bytes are `among` these.  Nothing where the merges are not as
    // training makes them: each token made by one merge, and its parts by merges before.
    static std::unique_ptr<Backtracker> of(const std::array<Id, 256>& byte_ids,
                                           const std::vector<Merge>& merges, const PairTable& pairs,
                                           BytePairs among) {
        std::unique_ptr<Backtracker> made(new Backtracker(pairs, std::move(among)));
        return made->learn(byte_ids, merges) ? std::move(made) : nullptr;
    }

    // Whether all tokens that may stand in a piece are known.
    bool knows(const std::uint8_t* piece, std::size_t size) const {
        return among_.has_those_of(piece, size);
    }

    // Writes the ids of a piece, at most one for each byte, and returns how many they are.
    std::size_t encode(const std::uint8_t* piece, std::size_t size, Id* ids) const {
        std::vector<bool> was_left(size + 1);
        std::vector<std::uint64_t> memo(memo_size);
        std::size_t count = 0, at = 0;
        Id next = trie_.longest(piece, size);
        while (true) {
            const std::size_t end = at + tokens_[next].size;
            if (!was_left[end] && (count == 0 || goes_with(ids[count - 1], next, memo))) {
                ids[count++] = next;
                at = end;
                if (at == size) return count;
                next = trie_.longest(piece + at, size - at);
            } else if (tokens_[next].shorter != Trie::none) {
                next = tokens_[next].shorter;
            } else {
                was_left[at] = true;
                next = ids[--count];
                at -= tokens_[next].size;
            }
        }
    }

private:
    static constexpr std::size_t memo_size = std::size_t{1} << 14;
    static constexpr Rank unmade = 0;  // of a byte; ranks of tokens are one more than of merges

    struct Token {
        Id left = 0, right = 0;
        Rank rank = unmade;
        std::uint32_t size = 0;  // 0 where nothing makes it
        std::uint8_t first = 0, last = 0;
        bool is_known = false;  // its neighbouring bytes may stand in a piece
        Trie::Node node = Trie::root;
        Id shorter = 0;  // the longest token that it begins with, or `Trie::none`
    };

    Backtracker(const PairTable& pairs, BytePairs among)
        : pairs_(pairs), among_(std::move(among)) {}

    bool learn(const std::array<Id, 256>& byte_ids, const std::vector<Merge>& merges) {
        Id highest = *std::max_element(byte_ids.begin(), byte_ids.end());
        for (const Merge& merge : merges) highest = std::max(highest, merge.made);
        tokens_ = ZeroedTable<Token>(std::size_t{highest} + 1);
        for (std::size_t byte = 0; byte < 256; ++byte) {
            Token& token = tokens_[byte_ids[byte]];
            token.first = token.last = static_cast<std::uint8_t>(byte);
            token.size = 1;
            token.is_known = true;
        }
        std::size_t edges = 256;
        for (std::size_t at = 0; at < merges.size(); ++at) {
            const Merge& merge = merges[at];
            const Token &left = tokens_[merge.left], &right = tokens_[merge.right];
            Token& made = tokens_[merge.made];
            if (left.size == 0 || right.size == 0 || made.size != 0) return false;
            made.left = merge.left;
            made.right = merge.right;
            made.rank = static_cast<Rank>(at + 1);
            made.size = left.size + right.size;
            made.first = left.first;
            made.last = right.last;
            made.is_known = left.is_known && right.is_known && among_.has(left.last, right.first);
            if (made.is_known) edges += right.size;
            if (edges > Trie::most_edges) return false;
        }
        // Only what its own bytes merge to is ever made: its parts are, and no merge between them
        // comes before its own.
        trie_ = Trie(edges);
        std::vector<Id> made(byte_ids.begin(), byte_ids.end());
        for (std::size_t byte = 0; byte < 256; ++byte) {
            Token& token = tokens_[byte_ids[byte]];
            token.node = trie_.below(Trie::root, static_cast<std::uint8_t>(byte));
        }
        for (const Merge& merge : merges) {
            Token& token = tokens_[merge.made];
            if (!token.is_known) continue;
            if (tokens_[merge.left].node == Trie::root || tokens_[merge.right].node == Trie::root ||
                !stay_apart(merge.left, merge.right, token.rank))
                continue;
            token.node = walk(tokens_[merge.left].node, merge.right);
            made.push_back(merge.made);
        }
        for (const Id id : made) trie_.set_token(tokens_[id].node, id);
        for (const Id id : made) tokens_[id].shorter = trie_.token_above(tokens_[id].node);
        return true;
    }

    // Follows the bytes of a token from a node.
    Trie::Node walk(Trie::Node node, Id id) {
        const Token& token = tokens_[id];
        if (token.rank == unmade) return trie_.below(node, token.first);
        return walk(walk(node, token.left), token.right);
    }

    bool goes_with(Id left, Id right, std::vector<std::uint64_t>& memo) const {
        const std::uint64_t pair = (std::uint64_t{left} << id_bits | right) + 1;
        std::uint64_t& slot = memo[(pair * 0x9E3779B97F4A7C15U) >> 50];
        if (slot >> 1 != pair) slot = pair << 1 | std::uint64_t{stay_apart(left, right, no_rank)};
        return (slot & 1) != 0;
    }

    // Whether no merge of a rank below `limit` joins the two on the way.  The merges that made
    // them are undone, the last one first; whenever two symbols stood side by side, a merge of
    // the two had to come after the merge that was made next.  Of merges of the same rank the
    // left one comes first.
    bool stay_apart(Id left, Id right, Rank limit) const {
        while (true) {
            const Rank rank = pairs_.rank(left, right);
            if (rank != no_rank && rank + 1 < limit) return false;
            const Token &before = tokens_[left], &after = tokens_[right];
            if (before.rank > after.rank) {
                limit = before.rank;
                left = before.right;
            } else if (after.rank != unmade) {
                limit = after.rank + 1;
                right = after.left;
            } else {
                return true;
            }
        }
    }

    const PairTable& pairs_;
    BytePairs among_;
    ZeroedTable<Token> tokens_;  // by id
    Trie trie_{0};
};

}  // namespace bytebpe
