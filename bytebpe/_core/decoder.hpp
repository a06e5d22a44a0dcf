// Equals `Decoder` of bytebpe/decode.py: ids to the bytes of their tokens.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "parallel.hpp"
#include "token_table.hpp"

namespace bytebpe {

// Ids that were looked at: all of them are tokens.
struct CheckedIds {
    std::vector<Id> ids;
    std::size_t bytes = 0;  // of all tokens
    bool ascii = true;      // whether all bytes are
};

class Decoder {
public:
    explicit Decoder(TokenTable tokens) : tokens_(std::move(tokens)) {}

    // Adds `count` ids, which `next` gives one by one as 64 bits: a negative one is then higher
    // than any token.  Returns false at the first that is no token.
    template <class Next>
    bool add(std::size_t count, const Next& next, CheckedIds& to) const {
        const std::size_t before = to.ids.size();
        to.ids.resize(before + count);
        Id* ids = to.ids.data() + before;
        std::size_t bytes = 0;
        bool ascii = true;
        for (std::size_t i = 0; i < count; ++i) {
            const std::uint64_t id = next(i);
            if (id >= tokens_.size()) return false;
            ids[i] = static_cast<Id>(id);
            const std::size_t size = tokens_[ids[i]].size();
            if (size == 0) return false;
            bytes += size;
            ascii &= tokens_.is_ascii(ids[i]);
        }
        to.bytes += bytes;
        to.ascii &= ascii;
        return true;
    }

    // Writes the bytes of some ids, all of them tokens, to a place with room for exactly them.
    void write(const Id* ids, std::size_t count, char* to, std::size_t room) const {
        constexpr std::size_t step = TokenTable::slack;
        std::size_t at = 0;
        for (std::size_t i = 0; i < count; ++i) {
            const std::string_view token = tokens_[ids[i]];
            // Nearly all tokens are short, and to copy a fixed number of bytes needs no branch.
            if (token.size() <= step && room - at >= step)
                std::memcpy(to + at, token.data(), step);
            else
                std::memcpy(to + at, token.data(), token.size());
            at += token.size();
        }
    }

private:
    TokenTable tokens_;
};

// The rows of a batch one after the other, and where in the ids and the bytes each one starts.
struct CheckedRows {
    CheckedIds all;
    std::vector<std::size_t> id_starts{0}, byte_starts{0};
    std::vector<bool> ascii;

    void clear() {
        all.ids.clear();
        all.bytes = 0;
        id_starts.resize(1);
        byte_starts.resize(1);
        ascii.clear();
    }

    // Ends a row.
    void end_row() {
        id_starts.push_back(all.ids.size());
        byte_starts.push_back(all.bytes);
        ascii.push_back(all.ascii);
        all.ascii = true;
    }

    std::size_t size() const { return ascii.size(); }
};

// What one thread decodes at a time, in ids, at the least.
inline constexpr std::size_t task_ids = std::size_t{1} << 15;

// Writes the bytes of all rows, on several threads; `to` has room for exactly them.
inline void write_rows(const Decoder& decoder, const CheckedRows& rows, char* to,
                       std::size_t threads) {
    std::vector<std::size_t> tasks{0};  // the rows where tasks start
    for (std::size_t row = 0; row < rows.size(); ++row)
        if (rows.id_starts[row + 1] - rows.id_starts[tasks.back()] >= task_ids)
            tasks.push_back(row + 1);
    if (tasks.back() != rows.size()) tasks.push_back(rows.size());
    run_tasks(tasks.size() - 1, threads, [&](std::size_t task, std::size_t) {
        const std::size_t first = tasks[task], end = tasks[task + 1];
        const std::size_t ids = rows.id_starts[first], bytes = rows.byte_starts[first];
        decoder.write(rows.all.ids.data() + ids, rows.id_starts[end] - ids, to + bytes,
                      rows.byte_starts[end] - bytes);
    });
}

}  // namespace bytebpe
