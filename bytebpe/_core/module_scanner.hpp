// What the bindings of the encoder and of the counter share: scanners out of Python's tables.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dfa_scanner.hpp"
#include "family_scanner.hpp"
#include "module.hpp"

namespace bytebpe {

inline Family family_of(const std::string& name) {
    if (name == "gpt2") return Family::gpt2;
    if (name == "cl100k") return Family::cl100k;
    if (name == "qwen2") return Family::qwen2;
    if (name == "o200k") return Family::o200k;
    if (name == "tekken") return Family::tekken;
    throw nb::value_error("family: expected gpt2, cl100k, qwen2, o200k or tekken");
}

// `classes` are first and last code points and classes, three numbers for each range.
inline std::shared_ptr<CharTable> char_table(Family family, const nb::bytes& classes) {
    const std::vector<std::uint32_t> numbers = numbers_of<std::uint32_t>(classes);
    std::vector<ClassRange> ranges;
    for (std::size_t i = 0; i + 2 < numbers.size(); i += 3) {
        if (numbers[i] > numbers[i + 1] || numbers[i + 1] > 0x10FFFF || numbers[i + 2] > mark)
            throw nb::value_error("classes: expected ranges of code points");
        const auto kind = static_cast<CharClass>(numbers[i + 2]);
        ranges.push_back(
            {numbers[i], numbers[i + 1], looks_at_case(family) ? kind : without_case(kind)});
    }
    return std::make_shared<CharTable>(ranges);
}

inline DfaScanner dfa_of(const nb::bytes& pages, const nb::bytes& classes,
                         const nb::bytes& transitions, std::size_t width) {
    return DfaScanner(numbers_of<std::uint16_t>(pages), numbers_of<std::uint8_t>(classes),
                      numbers_of<std::uint16_t>(transitions), width);
}

// The UTF-8 of special tokens, which the objects keep.
inline std::vector<std::string_view> views_of(const nb::list& tokens) {
    std::vector<std::string_view> views;
    for (const nb::handle token : tokens) {
        Py_ssize_t size = 0;
        if (const char* data = PyUnicode_AsUTF8AndSize(token.ptr(), &size))
            views.emplace_back(data, static_cast<std::size_t>(size));
        else
            PyErr_Clear();  // what UTF-8 cannot write stands in no text that it can
    }
    return views;
}

}  // namespace bytebpe
