// Equals `learn` of bytebpe/train.py: counted rows of symbols to ranked merges.
//
// Three things make it fast, and none changes a merge.  What a merge of (a, b) to m does to the
// counts concerns the pairs (x, a), (x, m), (b, y) and (m, y) alone, so it is summed up by
// neighbour first, and each pair is looked up once.  A pair only loses occurrences once it is
// there, so one that begins below a threshold cannot win before the best falls below it: it is
// left out until then, and found by counting again.  And each pair knows its places, so that a
// merge goes to where it applies and nowhere else.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "pair_index.hpp"
#include "pulse.hpp"
#include "symbol_rows.hpp"

namespace bytebpe {

struct TrainerOptions {
    std::uint32_t new_symbol;
    std::uint64_t max_merges;
    Count min_frequency;
    std::uint64_t max_width;  // of what is made, in symbols given
    bool first;               // whether ties go to the pair that occurs first
};

struct LearnedMerge {
    std::uint32_t left, right;
    Count count;
};

enum class Stop { none, max_merges, min_frequency, max_width, no_pairs };

// Some rounds at a time, so that the caller can look up in between.
class AnyTrainer {
public:
    virtual ~AnyTrainer() = default;
    // Learns up to so many more merges; Stop::none means that there may be more.
    virtual Stop learn(std::uint64_t merges, Pulse& pulse) = 0;
    virtual const std::vector<LearnedMerge>& learned() const = 0;
    // How many places were looked at, and how often all pairs were counted.
    virtual std::uint64_t visits() const = 0;
    virtual std::uint64_t recounts() const = 0;
};

template <class Symbol>
class Trainer final : public AnyTrainer {
public:
    template <class Source>
    Trainer(const Source& source, const TrainerOptions& options)
        : rows_(source, static_cast<Symbol>(options.new_symbol), !options.first),
          options_(options),
          least_(std::max<Count>(1, options.min_frequency)),
          left_(options.new_symbol),
          right_(options.new_symbol) {
        Count total = 0;
        for (std::size_t row = 0; row < source.size(); ++row) total += source.count(row);
        const std::uint64_t share = std::min<std::uint64_t>(options.max_merges, 1 << 24) + 1;
        threshold_ = std::max(least_, total / static_cast<Count>(start_share * share));
    }

    Stop learn(std::uint64_t merges, Pulse& pulse) override {
        if (recounts_ == 0 && options_.max_merges > 0) recount(pulse);
        for (; merges > 0; --merges) {
            if (learned_.size() == options_.max_merges) return Stop::max_merges;
            const std::uint32_t best = take_best(pulse);
            if (best == PairIndex::none) return exhausted();
            merge(pairs_.take(best), pulse);
        }
        return learned_.size() == options_.max_merges ? Stop::max_merges : Stop::none;
    }

    const std::vector<LearnedMerge>& learned() const override { return learned_; }
    std::uint64_t visits() const override { return visits_; }
    std::uint64_t recounts() const override { return recounts_; }

private:
    using Rows = SymbolRows<Symbol>;

    // What the heap sorts by: the highest count, then the lowest key.
    struct Entry {
        Count count;
        std::uint64_t key;  // the pair itself, or where it occurs first
        std::uint32_t pair;
        bool operator<(const Entry& other) const {
            return count != other.count ? count < other.count : key > other.key;
        }
    };

    // The neighbours of a merged pair on one side, each with what it adds up to.
    struct Side {
        struct Sum {
            Count count = 0;
            std::uint32_t places = 0;
            std::uint32_t pair = PairIndex::none;
        };
        struct Seen {
            Symbol symbol;
            Place place;
        };

        explicit Side(std::size_t symbols) : sums(symbols) {}

        void add(Symbol symbol, Count count, Place place) {
            Sum& sum = sums[symbol];
            if (sum.places++ == 0) touched.push_back(symbol);
            sum.count += count;
            seen.push_back({symbol, place});
        }

        void clear() {
            for (const Symbol symbol : touched) sums[symbol] = {};
            touched.clear();
            seen.clear();
        }

        std::vector<Sum> sums;  // by symbol
        std::vector<Symbol> touched;
        std::vector<Seen> seen;  // where the pair with this neighbour stands
    };

    // In natural text the last of n merges has about a seventh of an n-th of all sequences: the
    // first threshold is lower, so that it mostly does for all merges, and leaves out most pairs.
    static constexpr std::uint64_t start_share = 12;
    static constexpr Count next_share = 6;
    static constexpr std::size_t ahead = 16;  // places asked for before they are needed

    bool fits(std::uint32_t left, std::uint32_t right) const {
        return std::uint64_t{rows_.width(static_cast<Symbol>(left))} +
                   rows_.width(static_cast<Symbol>(right)) <=
               options_.max_width;
    }

    // Counts all pairs and finds the places of those that reach the threshold.
    void recount(Pulse& pulse) {
        PairTotals totals;
        rows_.each_pair([&](Symbol left, Symbol right, Place, Count count) {
            PairTotals::Total& total = totals(left, right);
            total.count += count;
            ++total.places;
            pulse.tick();
        });
        const bool first_time = recounts_++ == 0;
        pairs_ = PairIndex();
        totals.each([&](std::uint32_t left, std::uint32_t right, PairTotals::Total& total) {
            if (!fits(left, right))
                too_wide_ |= first_time;
            else if (total.count >= threshold_)
                total.pair = pairs_.add(left, right, total.count, total.places);
        });
        rows_.each_pair([&](Symbol left, Symbol right, Place place, Count) {
            if (const std::uint32_t pair = totals(left, right).pair; pair != PairIndex::none)
                pairs_[pair].append(place);
            pulse.tick();
        });
        heap_.clear();
        for (std::uint32_t pair = 0; pair < pairs_.size(); ++pair) heap_.push_back(entry(pair));
        std::make_heap(heap_.begin(), heap_.end());
    }

    // Takes the pair to merge off the heap; none if no pair that fits is frequent enough.
    std::uint32_t take_best(Pulse& pulse) {
        for (;;) {
            if (heap_.empty()) {
                if (threshold_ == least_) return PairIndex::none;
                threshold_ = std::max(least_, threshold_ / next_share);
                recount(pulse);
                continue;
            }
            std::pop_heap(heap_.begin(), heap_.end());
            const Entry best = heap_.back();
            heap_.pop_back();
            if (pairs_[best.pair].count < threshold_) {
                pairs_.take(best.pair);
                continue;
            }
            const Entry now = entry(best.pair);
            if (now.count == best.count && now.key == best.key) return best.pair;
            push(now);
        }
    }

    // Says why there is no pair to merge.
    Stop exhausted() const {
        bool rare = false;
        rows_.each_pair(
            [&](Symbol left, Symbol right, Place, Count) { rare |= fits(left, right); });
        return rare ? Stop::min_frequency : too_wide_ ? Stop::max_width : Stop::no_pairs;
    }

    void push(const Entry& entry) {
        heap_.push_back(entry);
        std::push_heap(heap_.begin(), heap_.end());
    }

    Entry entry(std::uint32_t number) {
        Pair& pair = pairs_[number];
        if (!options_.first)
            return {pair.count, std::uint64_t{pair.left} << 32 | pair.right, number};
        while (!rows_.holds(pair.places[pair.skipped], static_cast<Symbol>(pair.left),
                            static_cast<Symbol>(pair.right)))
            ++pair.skipped;
        return {pair.count, pair.places[pair.skipped], number};
    }

    void merge(const Pair& pair, Pulse& pulse) {
        const auto left = static_cast<Symbol>(pair.left), right = static_cast<Symbol>(pair.right);
        const auto made = static_cast<Symbol>(options_.new_symbol + learned_.size());
        learned_.push_back({pair.left, pair.right, pair.count});
        rows_.add_symbol(left, right);
        left_.sums.emplace_back();
        right_.sums.emplace_back();
        replace(pair, left, right, made, pulse);

        for (const Symbol x : left_.touched) {
            typename Side::Sum& sum = left_.sums[x];
            if (x != made) lose(x, left, sum.count);
            add_pair(x, made, sum.count, sum);
        }
        for (const Symbol y : right_.touched) {
            typename Side::Sum& sum = right_.sums[y];
            lose(right, y, sum.count);
            // Where the pair follows itself, its first half is a right neighbour only until it is
            // merged, too.
            add_pair(made, y, sum.count - (y == left ? left_.sums[made].count : 0), sum);
        }
        for (Side* side : {&left_, &right_}) {
            for (const typename Side::Seen& seen : side->seen)
                if (const std::uint32_t to = side->sums[seen.symbol].pair; to != PairIndex::none)
                    pairs_[to].append(seen.place);
            for (const Symbol symbol : side->touched)
                if (const std::uint32_t to = side->sums[symbol].pair; to != PairIndex::none)
                    push(entry(to));
        }
        left_.clear();
        right_.clear();
    }

    // Merges a pair wherever it stands, from left to right, and notes the neighbours.
    void replace(const Pair& pair, Symbol left, Symbol right, Symbol made, Pulse& pulse) {
        const std::uint32_t width = rows_.width(made);
        visits_ += pair.size - pair.skipped;
        for (std::uint32_t at = pair.skipped; at < pair.size; ++at) {
            if (at + ahead < pair.size) rows_.prefetch(pair.places[at + ahead]);
            pulse.tick();
            const Place place = pair.places[at];
            if (!rows_.holds(place, left, right)) continue;
            const Count count = rows_.count_at(place);
            const Symbol x = rows_.at(place - 1), y = rows_.at(place + width);
            rows_.merge_at(place, left, made);
            if (x != Rows::separator) left_.add(x, count, place - rows_.width(x));
            if (y != Rows::separator) right_.add(y, count, place);
        }
    }

    // Takes occurrences from a pair, if it is one that is kept.
    void lose(std::uint32_t left, std::uint32_t right, Count count) {
        if (const std::uint32_t pair = pairs_.find(left, right); pair != PairIndex::none)
            pairs_[pair].count -= count;
    }

    // Adds a pair that a merge brought about, if it may be merged before the next recount.
    void add_pair(std::uint32_t left, std::uint32_t right, Count count, typename Side::Sum& sum) {
        if (count == 0) return;
        if (!fits(left, right))
            too_wide_ = true;
        else if (count >= threshold_)
            sum.pair = pairs_.add(left, right, count, sum.places);
    }

    Rows rows_;
    TrainerOptions options_;
    Count least_;      // a pair must occur so often to be merged
    Count threshold_;  // and so often to be kept in `pairs_`
    PairIndex pairs_;
    std::vector<Entry> heap_;  // one entry for each pair that is kept
    std::vector<LearnedMerge> learned_;
    Side left_, right_;
    bool too_wide_ = false;
    std::uint64_t visits_ = 0, recounts_ = 0;
};

// A trainer with cells as narrow as the symbols to come allow.
template <class Source>
std::unique_ptr<AnyTrainer> make_trainer(const Source& source, const TrainerOptions& options) {
    std::uint64_t symbols = 0;
    for (std::size_t row = 0; row < source.size(); ++row) symbols += source.length(row);
    // Each merge makes two symbols one, so there are fewer of them than symbols.
    const std::uint64_t limit = options.new_symbol + std::min(options.max_merges, symbols);
    if (limit < SymbolRows<std::uint16_t>::symbol_limit)
        return std::make_unique<Trainer<std::uint16_t>>(source, options);
    if (limit < SymbolRows<std::uint32_t>::symbol_limit)
        return std::make_unique<Trainer<std::uint32_t>>(source, options);
    throw std::length_error("more than four billion symbols to make");
}

}  // namespace bytebpe
