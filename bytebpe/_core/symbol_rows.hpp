// Equals the `_words` and `_counts` of `_Rounds` in bytebpe/train.py: counted rows of symbols.
//
// All rows lie in one array of cells, with a separator before, between and after them.  A symbol
// that a merge made spans as many cells as the symbols given that it stands for, and its number
// stands in the first and the last of them.  So both neighbours of a symbol are found without
// links, a merge writes at most three cells, and a row of a million symbols costs no more for
// each merge in it than a short one.  A cell is the place of the symbol that starts there: places
// ascend with the row and the offset in it, and merges do not move them.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "zeroed_table.hpp"

namespace bytebpe {

using Place = std::uint32_t;
using Count = std::int64_t;

template <class Symbol>
class SymbolRows {
public:
    // Between two rows; and what is left in the cell where a symbol started that was merged into
    // the one before it, so that nothing is taken to start there again.
    static constexpr Symbol separator = std::numeric_limits<Symbol>::max();
    static constexpr Symbol hole = separator - 1;
    static constexpr std::uint64_t symbol_limit = hole;

    // `source` has size(), length(row), count(row) and write(row, cells).  Rows of less than two
    // symbols hold no pair and are left out.  Sorted by count, few neighbours differ in it.
    template <class Source>
    SymbolRows(const Source& source, Symbol first_made, bool sorted) : widths_(first_made, 1) {
        std::uint64_t cells = 1;
        for (std::size_t row = 0; row < source.size(); ++row) cells += source.length(row) + 1;
        if (cells > std::numeric_limits<Place>::max())
            throw std::length_error("more than four billion symbols to learn from");
        cells_ = ZeroedTable<Symbol>(static_cast<std::size_t>(cells));
        Symbol* to = cells_.data();
        to[size_++] = separator;
        for (const std::uint32_t row : order(source, sorted)) {
            if (source.length(row) < 2) continue;
            if (runs_.empty() || runs_.back().count != source.count(row))
                runs_.push_back({static_cast<Place>(size_), source.count(row)});
            source.write(row, to + size_);
            size_ += source.length(row);
            to[size_++] = separator;
        }
        if (runs_.empty()) runs_.push_back({1, 0});  // no row at all
        runs_.push_back({std::numeric_limits<Place>::max(), 0});
        std::uint32_t run = 0;
        for (std::size_t at = 0; at < size_; at += block) {
            while (runs_[run + 1].start <= at) ++run;
            run_of_block_.push_back(run);
        }
    }

    Symbol at(Place place) const { return cells_.data()[place]; }
    std::uint32_t width(Symbol symbol) const { return widths_[symbol]; }

    // Calls visit(left, right, place, count) for each pair of neighbours, in order of place.
    template <class Visit>
    void each_pair(const Visit& visit) const {
        const Symbol* cells = cells_.data();
        std::uint32_t run = 0;
        for (Place place = 1; place < size_;) {
            const Symbol left = cells[place];
            if (left == separator) {
                ++place;
                while (runs_[run + 1].start <= place) ++run;
                continue;
            }
            const Place next = place + widths_[left];
            if (cells[next] != separator) visit(left, cells[next], place, runs_[run].count);
            place = next;
        }
    }

    // How often the row at a place occurs.
    Count count_at(Place place) const {
        std::uint32_t run = run_of_block_[place / block];
        while (runs_[run + 1].start <= place) ++run;
        return runs_[run].count;
    }

    // Whether a pair stands at a place where it once stood.
    bool holds(Place place, Symbol left, Symbol right) const {
        return at(place) == left && at(place + widths_[left]) == right;
    }

    // Makes room for a symbol made of two.
    void add_symbol(Symbol left, Symbol right) {
        widths_.push_back(widths_[left] + widths_[right]);
    }

    // Writes a symbol over the pair at a place.
    void merge_at(Place place, Symbol left, Symbol made) {
        Symbol* cells = cells_.data() + place;
        cells[widths_[left]] = hole;
        cells[widths_[made] - 1] = made;
        cells[0] = made;
    }

    void prefetch(Place place) const {
#if defined(__GNUC__)
        __builtin_prefetch(cells_.data() + place, 1);
        __builtin_prefetch(run_of_block_.data() + place / block);
#else
        (void)place;
#endif
    }

private:
    struct Run {
        Place start;
        Count count;
    };

    static constexpr std::size_t block = 32;  // of cells

    template <class Source>
    static std::vector<std::uint32_t> order(const Source& source, bool sorted) {
        std::vector<std::uint32_t> rows(source.size());
        if (!sorted) {
            std::iota(rows.begin(), rows.end(), std::uint32_t{0});
            return rows;
        }
        // Almost all counts are small: those are put in order by counting them.
        constexpr Count small = 1024;
        std::array<std::size_t, small + 2> starts{};
        const auto bin = [&](std::size_t row) {
            return static_cast<std::size_t>(small - std::min(source.count(row), small));
        };
        for (std::size_t row = 0; row < rows.size(); ++row) ++starts[bin(row) + 1];
        const std::size_t large = starts[1];
        std::partial_sum(starts.begin(), starts.end(), starts.begin());
        for (std::size_t row = 0; row < rows.size(); ++row)
            rows[starts[bin(row)]++] = static_cast<std::uint32_t>(row);
        std::sort(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(large),
                  [&](std::uint32_t a, std::uint32_t b) {
                      return source.count(a) != source.count(b) ? source.count(a) > source.count(b)
                                                                : a < b;
                  });
        return rows;
    }

    std::vector<std::uint32_t> widths_;  // of each symbol, in cells
    ZeroedTable<Symbol> cells_;
    std::size_t size_ = 0;                     // of the cells
    std::vector<Run> runs_;                    // stretches of rows of equal count
    std::vector<std::uint32_t> run_of_block_;  // the run at the first cell of each block
};

}  // namespace bytebpe
