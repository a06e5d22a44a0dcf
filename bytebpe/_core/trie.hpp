// Equals a dictionary of tokens that is asked for the longest one a text begins with.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "pair_table.hpp"
#include "zeroed_table.hpp"

namespace bytebpe {

// A tree of bytes.  Most nodes have one edge, which stands beside them; all edges but those of the
// root are in a hash table.
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
        places_.reserve(edges + 1);
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
        if (slot == 0) {
            slot = std::uint64_t{edge} << 32 | add_node(node);
            std::uint32_t& only = places_[node].only;
            only = only == 0 ? std::uint32_t{byte} << 24 | static_cast<Node>(slot) : several;
        }
        return static_cast<Node>(slot);
    }

    void set_token(Node node, Id token) { places_[node].token = token; }

    // The longest token that ends above a node; none where there is none.
    Id token_above(Node node) const {
        do node = parents_[node];
        while (places_[node].token == none && node != root);
        return places_[node].token;
    }

    // The longest token among the first bytes of a text, of which there is at least one.
    Id longest(const std::uint8_t* text, std::size_t size) const {
        Place place = places_[first_[text[0]]];
        Node node = first_[text[0]];
        Id found = place.token;
        for (std::size_t at = 1; at < size && place.only != 0; ++at) {
            if (place.only == several) {
                const std::uint64_t slot = slots_.data()[find(edge_of(node, text[at]))];
                if (slot == 0) break;
                node = static_cast<Node>(slot);
            } else {
                if (place.only >> 24 != text[at]) break;
                node = place.only & 0xFFFFFF;
            }
            place = places_[node];
            if (place.token != none) found = place.token;
        }
        return found;
    }

private:
    // The token that ends at a node, and the byte and the node of its edge: 0 where it has none,
    // `several` where it has more.
    struct Place {
        Id token = none;
        std::uint32_t only = 0;
    };

    static constexpr std::uint32_t several = 1;  // no edge: this node is below the root

    static std::uint32_t edge_of(Node node, std::uint8_t byte) { return node << 8 | byte; }

    Node add_node(Node parent) {
        places_.emplace_back();
        parents_.push_back(parent);
        return static_cast<Node>(places_.size() - 1);
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
    std::vector<Place> places_;  // of the nodes
    std::vector<Node> parents_;
};

}  // namespace bytebpe
