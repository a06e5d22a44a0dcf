// Equals the `tokens` of bytebpe/vocab.py: the bytes of each id.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "pair_table.hpp"

namespace bytebpe {

class TokenTable {
public:
    // For ids below `ids`.  A token may not be empty.
    explicit TokenTable(std::size_t ids) : entries_(ids), bytes_(slack, '\0') {}

    void set(Id id, std::string_view token) {
        const std::size_t start = bytes_.size() - slack;
        if (start + token.size() > UINT32_MAX / 2)
            throw std::length_error("2 GiB of tokens or more");
        bool ascii = true;
        for (const char byte : token) ascii = ascii && static_cast<unsigned char>(byte) < 0x80;
        bytes_.insert(start, token);
        entries_[id] = {static_cast<std::uint32_t>(start),
                        static_cast<std::uint32_t>(token.size() << 1) | (ascii ? 1U : 0U)};
    }

    // How many ids may be asked for.
    std::size_t size() const { return entries_.size(); }

    // Empty where there is no such id.
    std::string_view operator[](Id id) const {
        return {bytes_.data() + entries_[id].start, entries_[id].size_and_ascii >> 1};
    }

    bool is_ascii(Id id) const { return (entries_[id].size_and_ascii & 1) != 0; }

    // So many bytes may be read from the start of any token.
    static constexpr std::size_t slack = 16;

private:
    struct Entry {
        std::uint32_t start = 0;
        std::uint32_t size_and_ascii = 0;  // one bit of it says whether all bytes are ASCII
    };

    std::vector<Entry> entries_;
    std::string bytes_;
};

}  // namespace bytebpe
