// Equals `_cutter` of bytebpe/counting.py: the stretches of a text between special tokens.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "text_span.hpp"

namespace bytebpe {

// Of special tokens that overlap the leftmost counts, then the longest.
class SpecialCutter {
public:
    explicit SpecialCutter(std::vector<std::string> tokens) : tokens_(std::move(tokens)) {
        std::stable_sort(tokens_.begin(), tokens_.end(),
                         [](const auto& a, const auto& b) { return a.size() > b.size(); });
        for (const std::string& token : tokens_)
            if (!token.empty()) starts_[static_cast<unsigned char>(token[0])] = true;
    }

    // Calls sink(begin, end) for each stretch that is not empty.
    template <class Sink>
    void cut(Span text, const Sink& sink) const {
        std::size_t begin = 0;
        for (std::size_t at = 0; !tokens_.empty() && at < text.size;) {
            const std::size_t size = starts_[text.text[at]] ? token_at(text, at) : 0;
            if (size == 0) {
                ++at;
                continue;
            }
            if (at > begin) sink(begin, at);
            begin = at += size;
        }
        if (begin < text.size) sink(begin, text.size);
    }

private:
    // The size of the token that starts at a place; 0 where none does.
    std::size_t token_at(Span text, std::size_t at) const {
        for (const std::string& token : tokens_)
            if (token.size() <= text.size - at &&
                std::memcmp(text.text + at, token.data(), token.size()) == 0)
                return token.size();
        return 0;
    }

    std::vector<std::string> tokens_;
    std::array<bool, 256> starts_{};
};

}  // namespace bytebpe
