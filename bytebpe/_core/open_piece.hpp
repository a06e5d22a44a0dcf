// Equals `TokenTree` and `OpenPiece` of bytebpe/prefixes.py: the ids of every prefix of a piece.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "isa.hpp"
#include "merge.hpp"

namespace bytebpe {

// The tokens of a vocabulary, their bytes one after the other.
struct TokenBytes {
    std::vector<Id> ids;
    std::vector<std::uint8_t> bytes;
    std::vector<std::size_t> starts;  // of each token, and the end of the last
};

class TokenTree {
public:
    static constexpr Id none = UINT32_MAX;
    static constexpr std::uint32_t root = 0;

    explicit TokenTree(TokenBytes tokens) : tokens_(std::move(tokens)) {
        next_.reserve(tokens_.bytes.size());
        for (std::size_t token = 0; token < tokens_.ids.size(); ++token) {
            std::uint32_t node = root;
            for (std::size_t at = tokens_.starts[token]; at < tokens_.starts[token + 1]; ++at) {
                nodes_[node].inner = true;
                const auto fresh = static_cast<std::uint32_t>(nodes_.size());
                node = next_.try_emplace(edge(node, tokens_.bytes[at]), fresh).first->second;
                if (node == fresh) nodes_.emplace_back();
            }
            nodes_[node].token = token;
        }
        for (std::size_t token = 0; token < tokens_.ids.size(); ++token)
            token_of_[tokens_.ids[token]] = token;
    }

    // The node after one more byte; the root where no token goes on so.
    std::uint32_t step(std::uint32_t node, std::uint8_t byte) const {
        const auto found = next_.find(edge(node, byte));
        return found == next_.end() ? root : found->second;
    }

    bool inner(std::uint32_t node) const { return nodes_[node].inner; }

    // The token that ends at a node.
    Id id(std::uint32_t node) const {
        const std::size_t token = nodes_[node].token;
        return token == no_token ? none : tokens_.ids[token];
    }

    std::size_t size(Id id) const {
        const std::size_t token = token_of_.at(id);
        return tokens_.starts[token + 1] - tokens_.starts[token];
    }

    // Whether merging leaves two tokens beside each other; the left one may be none.
    bool stand(Id left, Id right, const Merger& merger, const Isa& isa,
               MergeScratch& scratch) const {
        std::vector<std::uint8_t> bytes;
        std::vector<Id> ids;
        for (const Id id : {left, right}) {
            if (id == none) continue;
            const std::size_t token = token_of_.at(id);
            const auto* data = tokens_.bytes.data();
            bytes.insert(bytes.end(), data + tokens_.starts[token],
                         data + tokens_.starts[token + 1]);
            ids.push_back(id);
        }
        std::vector<Id> merged(bytes.size());
        merged.resize(merger.merge(bytes.data(), bytes.size(), isa, scratch, merged.data()));
        return merged == ids;
    }

private:
    static constexpr std::size_t no_token = SIZE_MAX;

    struct Node {
        std::size_t token = no_token;
        bool inner = false;
    };

    static std::uint64_t edge(std::uint32_t node, std::uint8_t byte) {
        return std::uint64_t{node} << 8 | byte;
    }

    TokenBytes tokens_;
    std::vector<Node> nodes_ = std::vector<Node>(1);
    std::unordered_map<std::uint64_t, std::uint32_t> next_;
    std::unordered_map<Id, std::size_t> token_of_;
};

// A piece whose end is not known yet, from a place on before which its ids are settled.
class OpenPiece {
public:
    // What merging needs, of which each thread has its own.
    struct Merging {
        const Merger& merger;
        const Isa& isa;
        MergeScratch& scratch;
    };

    // Lets the piece go on with these bytes.
    void extend(const std::uint8_t* data, std::size_t size, const TokenTree& tree,
                const Merging& merging) {
        for (std::size_t at = 0; at < size; ++at) {
            begun_.push_back({last_.size() - 1, TokenTree::root});
            Id found = TokenTree::none;
            std::size_t kept = 0;
            for (const Begun& begun : begun_) {
                const std::uint32_t node = tree.step(begun.node, data[at]);
                if (node == TokenTree::root) continue;
                const Id id = tree.id(node);
                if (found == TokenTree::none && id != TokenTree::none &&
                    stand(last_[begun.start], id, tree, merging))
                    found = id;
                if (tree.inner(node)) begun_[kept++] = {begun.start, node};
            }
            begun_.resize(kept);
            last_.push_back(found);
        }
    }

    // Adds the ids from the place on, were the piece to end after these bytes.
    void add_ids(const std::uint8_t* more, std::size_t size, const TokenTree& tree,
                 const Merging& merging, std::vector<Id>& ids) {
        const std::size_t before = last_.size();
        const std::vector<Begun> begun = begun_;
        extend(more, size, tree, merging);
        add_path(last_.size() - 1, tree, ids);
        last_.resize(before);
        begun_ = begun;
    }

    // Moves the place on as far as ids are certain, and adds them.
    void settle(const TokenTree& tree, std::vector<Id>& ids) {
        std::set<std::size_t> ways{last_.size() - 1};
        for (const Begun& begun : begun_) ways.insert(begun.start);
        while (ways.size() > 1) {
            const std::size_t furthest = *ways.rbegin();
            ways.erase(furthest);
            ways.insert(furthest - tree.size(last_[furthest]));
        }
        const std::size_t place = *ways.begin();
        add_path(place, tree, ids);
        last_.erase(last_.begin(), last_.begin() + static_cast<std::ptrdiff_t>(place));
        for (Begun& begun : begun_) begun.start -= place;
    }

private:
    struct Begun {
        std::size_t start;
        std::uint32_t node;  // of the bytes since
    };

    bool stand(Id left, Id right, const TokenTree& tree, const Merging& merging) {
        const auto [found, fresh] = stand_.try_emplace(std::uint64_t{left} << 32 | right, false);
        if (fresh)
            found->second = tree.stand(left, right, merging.merger, merging.isa, merging.scratch);
        return found->second;
    }

    void add_path(std::size_t end, const TokenTree& tree, std::vector<Id>& ids) const {
        const std::size_t before = ids.size();
        for (; end > 0; end -= tree.size(last_[end])) ids.push_back(last_[end]);
        std::reverse(ids.begin() + static_cast<std::ptrdiff_t>(before), ids.end());
    }

    // Of each prefix the last token; of the first, the last that is settled.
    std::vector<Id> last_ = {TokenTree::none};
    std::vector<Begun> begun_;  // tokens that may have begun and have not ended
    std::unordered_map<std::uint64_t, bool> stand_;
};

}  // namespace bytebpe
