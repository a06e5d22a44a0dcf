// Equals the `tokens` of bytebpe/vocab.py: the bytes of each id.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "pair_table.hpp"

namespace bytebpe {

class TokenTable {
public:
    // Equals `Vocab.in_order`: first one token for each byte, then one for each merge.
    static TokenTable in_order(std::string_view bytes, const std::vector<Merge>& merges) {
        TokenTable table;
        table.entries_.reserve(bytes.size() + merges.size() + 1);
        for (Id id = 0; id < bytes.size(); ++id) table.set(id, bytes.substr(id, 1));
        for (const Merge& merge : merges) {
            const std::size_t made = table.size();
            if (merge.left >= made || merge.right >= made)
                throw std::invalid_argument("merges: expected the ids of earlier tokens");
            const Entry left = table.entries_[merge.left], right = table.entries_[merge.right];
            const std::size_t start = table.room_for(left.size() + right.size());
            char* all = table.bytes_.data();
            std::memcpy(all + start, all + left.start, left.size());
            std::memcpy(all + start + left.size(), all + right.start, right.size());
            table.entries_.push_back(
                Entry::of(start, left.size() + right.size(), left.is_ascii() && right.is_ascii()));
        }
        return table;
    }

    // A token may not be empty.
    void set(Id id, std::string_view token) {
        if (id >= entries_.size()) entries_.resize(std::size_t{id} + 1);
        const std::size_t start = room_for(token.size());
        std::memcpy(bytes_.data() + start, token.data(), token.size());
        bool ascii = true;
        for (const char byte : token) ascii &= static_cast<unsigned char>(byte) < 0x80;
        entries_[id] = Entry::of(start, token.size(), ascii);
    }

    // How many ids may be asked for.
    std::size_t size() const { return entries_.size(); }

    // Empty where there is no such id.
    std::string_view operator[](Id id) const {
        return {bytes_.data() + entries_[id].start, entries_[id].size()};
    }

    bool is_ascii(Id id) const { return entries_[id].is_ascii(); }

    // So many bytes may be read from the start of any token.
    static constexpr std::size_t slack = 16;

private:
    struct Entry {
        std::uint32_t start = 0;
        std::uint32_t size_and_ascii = 0;  // one bit of it says whether all bytes are ASCII

        static Entry of(std::size_t start, std::size_t size, bool ascii) {
            return {static_cast<std::uint32_t>(start),
                    static_cast<std::uint32_t>(size << 1) | (ascii ? 1U : 0U)};
        }
        std::size_t size() const { return size_and_ascii >> 1; }
        bool is_ascii() const { return (size_and_ascii & 1) != 0; }
    };

    // Where the bytes of the next token go.
    std::size_t room_for(std::size_t size) {
        const std::size_t start = used_;
        used_ += size;
        if (used_ > UINT32_MAX / 2) throw std::length_error("2 GiB of tokens or more");
        if (used_ + slack > bytes_.size()) bytes_.resize(2 * (used_ + slack));
        return start;
    }

    std::vector<Entry> entries_;
    std::vector<char> bytes_ = std::vector<char>(slack);
    std::size_t used_ = 0;  // of them; at least `slack` are not
};

}  // namespace bytebpe
