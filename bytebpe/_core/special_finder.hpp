// Equals `Finder` of bytebpe/specials.py: the leftmost of some tokens, and the longest there.
//
// The automaton of Aho and Corasick: a trie of all tokens, and from each node a link to the
// longest end of what was read that starts some token too.  So no byte is read twice while no
// token is found, however many tokens there are and whatever they have in common.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

namespace bytebpe {

class SpecialFinder {
public:
    // Tokens in any order, each once.
    explicit SpecialFinder(const std::vector<std::string_view>& tokens) {
        if (tokens.empty()) return;
        build(tokens);
        link();
        for (std::size_t byte = 0; byte < 256; ++byte)
            if (from_root_[byte] != root) {
                only_start_ = static_cast<std::uint8_t>(byte);
                ++starts_;
            }
    }

    struct Match {
        std::size_t start, end;
        std::uint32_t token;  // its place among those given
    };

    // Finds the first token from `from` on.  `step` is called for each node that is looked at.
    template <class Step>
    std::optional<Match> find(const std::uint8_t* text, std::size_t size, std::size_t from,
                              const Step& step) const {
        if (nodes_.empty()) return {};
        std::optional<Match> best;
        if (nodes_[root].longest_token != none)
            best = Match{from, from, nodes_[root].longest_token};
        std::uint32_t state = root;
        for (std::size_t at = from;;) {
            if (state == root) {
                if (best) return best;
                at = next_start(text, size, at);
            }
            if (at >= size) return best;
            state = next(state, text[at++], step);
            // All that is still being read starts where the state does.
            if (best && at - nodes_[state].depth > best->start) return best;
            const Node& node = nodes_[state];
            if (node.longest_token == none || (best && at - node.longest > best->start)) continue;
            best = Match{at - node.longest, at, node.longest_token};
        }
    }

    std::optional<Match> find(const std::uint8_t* text, std::size_t size, std::size_t from) const {
        return find(text, size, from, [] {});
    }

private:
    static constexpr std::uint32_t root = 0;
    static constexpr std::uint32_t none = UINT32_MAX;

    struct Node {
        std::uint32_t first_child;  // the others follow it, up to the first child of the next node
        std::uint32_t link;
        std::uint32_t depth;
        std::uint32_t longest;        // the size of the longest token that ends here
        std::uint32_t longest_token;  // and which it is
    };

    // Nodes stand in order of depth, so that the children of one are neighbours.
    void build(const std::vector<std::string_view>& tokens) {
        std::vector<std::uint32_t> sorted(tokens.size());
        for (std::uint32_t i = 0; i < sorted.size(); ++i) sorted[i] = i;
        std::sort(sorted.begin(), sorted.end(),
                  [&](std::uint32_t a, std::uint32_t b) { return tokens[a] < tokens[b]; });
        struct Range {  // the sorted tokens that start with what leads to a node
            std::size_t first, end;
        };
        std::vector<Range> ranges{{0, sorted.size()}};
        nodes_.push_back({0, root, 0, 0, none});
        bytes_.push_back(0);
        for (std::size_t at = 0; at < nodes_.size(); ++at) {
            const std::size_t depth = nodes_[at].depth;
            std::size_t i = ranges[at].first;
            if (tokens[sorted[i]].size() == depth) {
                nodes_[at].longest = static_cast<std::uint32_t>(depth);
                nodes_[at].longest_token = sorted[i++];
            }
            nodes_[at].first_child = static_cast<std::uint32_t>(nodes_.size());
            while (i < ranges[at].end) {
                const char byte = tokens[sorted[i]][depth];
                const std::size_t first = i;
                while (i < ranges[at].end && tokens[sorted[i]][depth] == byte) ++i;
                if (at == root)
                    from_root_[static_cast<std::uint8_t>(byte)] =
                        static_cast<std::uint32_t>(nodes_.size());
                nodes_.push_back({0, root, static_cast<std::uint32_t>(depth + 1), 0, none});
                bytes_.push_back(static_cast<std::uint8_t>(byte));
                ranges.push_back({first, i});
            }
        }
        const auto end = static_cast<std::uint32_t>(nodes_.size());
        nodes_.push_back({end, root, 0, 0, none});
    }

    void link() {
        for (std::uint32_t parent = 0; parent + 1 < nodes_.size(); ++parent)
            for (std::uint32_t at = nodes_[parent].first_child; at < nodes_[parent + 1].first_child;
                 ++at) {
                Node& node = nodes_[at];
                if (parent != root) node.link = next(nodes_[parent].link, bytes_[at], [] {});
                if (node.longest_token != none) continue;
                node.longest = nodes_[node.link].longest;
                node.longest_token = nodes_[node.link].longest_token;
            }
    }

    // The node to which a byte leads: along the links, until one has a child for it.
    template <class Step>
    std::uint32_t next(std::uint32_t state, std::uint8_t byte, const Step& step) const {
        for (;; state = nodes_[state].link) {
            step();
            if (state == root) return from_root_[byte];
            const std::uint8_t* first = bytes_.data() + nodes_[state].first_child;
            const std::uint8_t* end = bytes_.data() + nodes_[state + 1].first_child;
            const std::uint8_t* found = std::lower_bound(first, end, byte);
            if (found != end && *found == byte)
                return static_cast<std::uint32_t>(found - bytes_.data());
        }
    }

    // The next place where a token may start.
    std::size_t next_start(const std::uint8_t* text, std::size_t size, std::size_t at) const {
        if (starts_ == 1 && at < size) {
            const void* found = std::memchr(text + at, only_start_, size - at);
            return found == nullptr
                       ? size
                       : static_cast<std::size_t>(static_cast<const std::uint8_t*>(found) - text);
        }
        while (at < size && from_root_[text[at]] == root) ++at;
        return at;
    }

    std::vector<Node> nodes_;          // and one more, after the last
    std::vector<std::uint8_t> bytes_;  // which lead to the nodes
    std::array<std::uint32_t, 256> from_root_{};
    std::size_t starts_ = 0;  // how many bytes start a token
    std::uint8_t only_start_ = 0;
};

}  // namespace bytebpe
