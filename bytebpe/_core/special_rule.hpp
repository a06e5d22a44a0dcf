// Equals `Rule` of bytebpe/specials.py: what becomes of the special tokens in a text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "pair_table.hpp"
#include "special_finder.hpp"
#include "text_span.hpp"

namespace bytebpe {

class SpecialRule {
public:
    // `ids` are those of the allowed tokens.
    SpecialRule(const std::vector<std::string_view>& refused,
                const std::vector<std::string_view>& allowed, std::vector<Id> ids)
        : refused_(refused), allowed_(allowed), ids_(std::move(ids)) {}

    bool refuses(const Span& text) const {
        return refused_.find(text.text, text.size, 0).has_value();
    }

    // How many nodes of the automata are looked at in a text that holds none of the tokens.
    std::size_t steps(const Span& text) const {
        std::size_t steps = 0;
        for (const SpecialFinder* finder : {&refused_, &allowed_})
            finder->find(text.text, text.size, 0, [&] { ++steps; });
        return steps;
    }

    // Calls `ordinary` for each stretch of ordinary text that is not empty, `special` for the
    // id of each token between.
    template <class Ordinary, class Special>
    void divide(const Span& text, const Ordinary& ordinary, const Special& special) const {
        std::size_t start = 0;
        while (const auto found = allowed_.find(text.text, text.size, start)) {
            if (start < found->start) ordinary(Span{text.text + start, found->start - start});
            special(ids_[found->token]);
            start = found->end;
        }
        if (start < text.size) ordinary(Span{text.text + start, text.size - start});
    }

private:
    SpecialFinder refused_, allowed_;
    std::vector<Id> ids_;
};

}  // namespace bytebpe
