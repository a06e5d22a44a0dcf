// Equals a dictionary of tokens that is asked for the longest one a text begins with.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "pair_table.hpp"
#include "zeroed_table.hpp"

namespace bytebpe {

// A tree of bytes whose edges stand in one hash table, but for those of the root.
class Trie {
public:
    using Node = std::uint32_t;
    static constexpr Node root = 0;
    static constexpr Id none = UINT32_MAX;
    static constexpr std::size_t most_edges = std::size_t{1} << 24;  // a node has 24 bits

    // For up to so many edges.
    explicit Trie(std::size_t edges) {
        std::size_t size = 2;
        while (size < 2 * edges) size *= 2;
        mask_ = size - 1;
        slots_ = ZeroedTable<std::uint64_t>(size);
        tokens_.reserve(edges + 1);
        parents_.reserve(edges + 1);
        add_node(root);
    }

    // The node one byte below another, which is made if it is not there.
    Node below(Node node, std::uint8_t byte) {
        if (node == root) {
            if (first_[byte] == 0) first_[byte] = add_node(root);
            return first_[byte];
        }
        const std::uint32_t edge = edge_of(node, byte);
        std::uint64_t& slot = slots_.data()[find(edge)];
        if (slot == 0) slot = std::uint64_t{edge} << 32 | add_node(node);
        return static_cast<Node>(slot);
    }

    void set_token(Node node, Id token) { tokens_[node] = token; }

    // The longest token that ends above a node; none where there is none.
    Id token_above(Node node) const {
        do node = parents_[node];
        while (tokens_[node] == none && node != root);
        return tokens_[node];
    }

    // The longest token among the first bytes of a text, of which there is at least one.
    Id longest(const std::uint8_t* text, std::size_t size) const {
        Node node = first_[text[0]];
        Id found = tokens_[node];
        for (std::size_t at = 1; at < size; ++at) {
            const std::uint64_t slot = slots_.data()[find(edge_of(node, text[at]))];
            if (slot == 0) break;
            node = static_cast<Node>(slot);
            if (tokens_[node] != none) found = tokens_[node];
        }
        return found;
    }

private:
    static std::uint32_t edge_of(Node node, std::uint8_t byte) { return node << 8 | byte; }

    Node add_node(Node parent) {
        tokens_.push_back(none);
        parents_.push_back(parent);
        return static_cast<Node>(tokens_.size() - 1);
    }

    // The slot of an edge, or the free one where it would go.
    std::size_t find(std::uint32_t edge) const {
        const std::uint64_t* slots = slots_.data();
        std::size_t at = (edge * 0x9E3779B97F4A7C15U >> 32) & mask_;
        while (slots[at] != 0 && slots[at] >> 32 != edge) at = (at + 1) & mask_;
        return at;
    }

    std::array<Node, 256> first_{};
    ZeroedTable<std::uint64_t> slots_;  // edge and node; 0 where free
    std::size_t mask_ = 0;
    std::vector<Id> tokens_;  // that end at a node
    std::vector<Node> parents_;
};

}  // namespace bytebpe
